//! The output of films.

use super::render_failure;
use crate::Failure;
use crate::output_path::{OutputPath, PendingOutput};
use resile_files::{File, Folder};
use resile_render::{
    Apng, EncodeError, Film, FilmError, FilmFile, Gif, Image, Mp4, Palette, write_png,
};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Default frame rate of GIFs: frames of 4/100 s, which the format represents exactly.
const GIF_RATE: f64 = 25.0;

/// The kind of output, which the name of the output determines, with the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RenderTarget {
    Mp4(PathBuf),
    Gif(PathBuf),
    Apng(PathBuf),
    /// One picture.
    Picture(PathBuf),
    /// A folder of pictures.
    Folder(PathBuf),
}

impl RenderTarget {
    /// The kind of output for the path given with `-o`; by default a file in the folder of the run.
    pub(super) fn choose(
        output: Option<&Path>,
        run: &Path,
        is_picture: bool,
    ) -> Result<Self, String> {
        let default_path = run.join(if is_picture { "picture.png" } else { "film.mp4" });
        let path = output.map_or(default_path, Path::to_path_buf);
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match (extension.as_deref(), is_picture) {
            (Some("png"), true) => Ok(Self::Picture(path)),
            (_, true) => Err(format!("one picture is a .png, not {}", path.display())),
            (Some("mp4"), false) => Ok(Self::Mp4(path)),
            (Some("gif"), false) => Ok(Self::Gif(path)),
            (Some("png" | "apng"), false) => Ok(Self::Apng(path)),
            (None, false) => Ok(Self::Folder(path)),
            (Some(_), false) => Err(format!(
                "{} has no supported extension; use .mp4, .gif or .png, or a folder without an extension \
                 for pictures",
                path.display()
            )),
        }
    }

    /// The path of the file or of the folder of pictures.
    pub(super) fn path(&self) -> &Path {
        let (Self::Mp4(path)
        | Self::Gif(path)
        | Self::Apng(path)
        | Self::Picture(path)
        | Self::Folder(path)) = self;
        path
    }

    /// Default frame rate, if it is not that of the run.
    pub(super) fn default_rate(&self) -> Option<f64> {
        matches!(self, Self::Gif(_)).then_some(GIF_RATE)
    }
}

/// A film in progress, with a temporary name until it is complete; removed on failure.
pub(super) struct Output {
    encoder: Box<dyn FilmFile + Send>,
    output: PendingOutput,
}

/// Begins the temporary file or folder of the output; existing files are replaced only with `force`.
fn begin_output(target: &RenderTarget, force: bool) -> Result<PendingOutput, Failure> {
    let output_path = OutputPath::new(target.path())?;
    Ok(match target {
        RenderTarget::Folder(_) => {
            PendingOutput::Folder(output_path.folder(force, "pictures of a film", is_picture)?)
        }
        _ => PendingOutput::File(output_path.file(force)?),
    })
}

impl Output {
    /// Begins the output and its encoder; existing files are replaced only with `force`.
    pub(super) fn create(
        target: &RenderTarget,
        film: &Film<'_>,
        force: bool,
    ) -> Result<Self, Failure> {
        let output = begin_output(target, force)?;
        let encoder = create_encoder(target, film, &output).map_err(render_failure)?;
        Ok(Self { encoder, output })
    }

    /// The encoder, which takes the pictures.
    pub(super) fn encoder(&mut self) -> &mut (dyn FilmFile + Send) {
        &mut *self.encoder
    }

    /// Completes the film and renames it to its final name.
    pub(super) fn keep(self) -> Result<(), FilmError> {
        self.encoder.finish()?;
        let result = self.output.keep();
        result.map_err(|error| EncodeError::Io(error).into())
    }
}

/// An encoder of the film that writes to the pending output, in the format of `target`.
fn create_encoder(
    target: &RenderTarget,
    film: &Film<'_>,
    output: &PendingOutput,
) -> Result<Box<dyn FilmFile + Send>, FilmError> {
    let file = match output {
        PendingOutput::Folder(folder) => {
            return Ok(Box::new(Pictures { folder: folder.folder().clone(), picture_count: 0 }));
        }
        PendingOutput::File(temporary) => temporary.file().try_clone().map_err(EncodeError::Io)?,
    };
    let writer = BufWriter::new(file);
    let (size, rate) = (film.size(), film.rate());
    Ok(match target {
        RenderTarget::Mp4(_) => Box::new(Mp4::new(writer, size, rate)?),
        RenderTarget::Gif(_) => {
            Box::new(Gif::new(writer, size, rate, Palette::new(&film.samples()?))?)
        }
        RenderTarget::Apng(_) => Box::new(Apng::new(writer, size, film.pictures(), rate)?),
        RenderTarget::Picture(_) | RenderTarget::Folder(_) => {
            Box::new(SinglePicture { writer: Some(writer) })
        }
    })
}

/// Whether a file name is that of a picture in a folder.
fn is_picture(name: &str) -> bool {
    let number = name.strip_prefix("picture_").and_then(|rest| rest.strip_suffix(".png"));
    number.is_some_and(|number| number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Pictures in a folder.
#[derive(Debug)]
struct Pictures {
    folder: Folder,
    picture_count: usize,
}

impl FilmFile for Pictures {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        let name = format!("picture_{:06}.png", self.picture_count);
        self.picture_count += 1;
        write_png(image, BufWriter::new(self.folder.create_new(name)?))
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}

/// One picture.
#[derive(Debug)]
struct SinglePicture {
    writer: Option<BufWriter<File>>,
}

impl FilmFile for SinglePicture {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        self.writer.take().map_or(Ok(()), |writer| write_png(image, writer))
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}
