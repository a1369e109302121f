//! `sim completions` and `sim man`: shell completions and man pages.

use crate::Failure;
use crate::stream::print;
use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;
use std::process::ExitCode;

const INSTALL_HELP: &str = "\
Where the script belongs:
  bash        sim completions bash > ~/.local/share/bash-completion/completions/sim
  zsh         sim completions zsh > ~/.zfunc/_sim, with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish        sim completions fish > ~/.config/fish/completions/sim.fish
  elvish      sim completions elvish >> ~/.config/elvish/rc.elv
  powershell  sim completions powershell >> $PROFILE";

#[derive(Debug, Args)]
#[command(after_long_help = INSTALL_HELP)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The command whose page is printed [default: the program itself].
    #[arg(id = "of", value_name = "COMMAND", conflicts_with = "output")]
    command_name: Option<String>,
    /// Write all pages to this folder, such as ~/.local/share/man/man1.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Prints completions of the program for a shell.
pub(crate) fn completions(
    arguments: &CompletionsArguments,
    mut program: Command,
) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "sim", &mut text);
    print(String::from_utf8_lossy(&text).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a manual page (roff), or writes all of them.
pub(crate) fn man(arguments: &ManArguments, program: Command) -> Result<ExitCode, Failure> {
    if let Some(folder) = &arguments.output {
        let write_result = resile_files::Folder::create(folder)
            .and_then(|_| clap_mangen::generate_to(program, folder));
        write_result.with_context(|| format!("{} cannot be written", folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    let command = subcommand(program, arguments.command_name.as_deref())?;
    Man::new(command).render(&mut page).context("the page cannot be made")?;
    print(String::from_utf8_lossy(&page).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// The subcommand of a name, or the program itself without a name.
fn subcommand(mut program: Command, name: Option<&str>) -> Result<Command, Failure> {
    program.build();
    let Some(name) = name else { return Ok(program) };
    let subcommand = program.find_subcommand(name).cloned();
    subcommand.ok_or_else(|| {
        let names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let names = names.join(", ");
        Failure::Input(format!("error: there is no command `{name}`; there are: {names}"))
    })
}
