//! Where a film goes.

use resile_render::{
    Apng, EncodeError, Film, FilmError, FilmFile, Gif, Image, Mp4, Palette, write_png,
};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Pictures a second of a GIF, if nobody asks for others: 4 hundredths of a second each, which it
/// can say exactly.
const GIF_RATE: f64 = 25.0;

/// What is made, as its name says.
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
    /// From the file that is asked for, or in the folder of the run.
    pub(super) fn of(output: Option<&Path>, run: &Path, is_picture: bool) -> Result<Self, String> {
        let usual = run.join(if is_picture { "picture.png" } else { "film.mp4" });
        let path = output.map_or(usual, Path::to_path_buf);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match (ending.as_deref(), is_picture) {
            (Some("png"), true) => Ok(Self::Picture(path)),
            (_, true) => Err(format!("one picture is a .png, not {}", path.display())),
            (Some("mp4"), false) => Ok(Self::Mp4(path)),
            (Some("gif"), false) => Ok(Self::Gif(path)),
            (Some("png" | "apng"), false) => Ok(Self::Apng(path)),
            (None, false) => Ok(Self::Folder(path)),
            (Some(_), false) => Err(format!(
                "{} is no film that can be made; name a .mp4, .gif or .png, or a folder, without an \
                 ending, for pictures",
                path.display()
            )),
        }
    }

    pub(super) fn path(&self) -> &Path {
        let (Self::Mp4(path)
        | Self::Gif(path)
        | Self::Apng(path)
        | Self::Picture(path)
        | Self::Folder(path)) = self;
        path
    }

    /// Pictures a second, if not those of the run.
    pub(super) fn usual_rate(&self) -> Option<f64> {
        matches!(self, Self::Gif(_)).then_some(GIF_RATE)
    }
}

/// A film on its way to its file. It has another name until it is whole, and is removed if it
/// does not become so.
pub(super) struct Output {
    file: Option<Box<dyn FilmFile + Send>>,
    /// What it is called on the way, and at the end; none of a folder.
    names: Option<[PathBuf; 2]>,
}

impl Output {
    pub(super) fn create(target: &RenderTarget, film: &Film<'_>) -> Result<Self, FilmError> {
        let path = target.path();
        let unwritten = |path: &Path| {
            let path = path.display().to_string();
            move |error: io::Error| {
                EncodeError::Io(io::Error::new(error.kind(), format!("{path}: {error}")))
            }
        };
        if let RenderTarget::Folder(folder) = target {
            fs::create_dir_all(folder).map_err(unwritten(folder))?;
            let file = Pictures { folder: folder.clone(), written: 0 };
            return Ok(Self { file: Some(Box::new(file)), names: None });
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".tmp");
        let names = [PathBuf::from(name), path.to_owned()];
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(unwritten(parent))?;
        }
        let writer = BufWriter::new(File::create(&names[0]).map_err(unwritten(&names[0]))?);
        let mut output = Self { file: None, names: Some(names) };
        let (size, rate) = (film.size(), film.rate());
        output.file = Some(match target {
            RenderTarget::Mp4(_) => Box::new(Mp4::new(writer, size, rate)?),
            RenderTarget::Gif(_) => {
                Box::new(Gif::new(writer, size, rate, Palette::of(&film.samples()?))?)
            }
            RenderTarget::Apng(_) => Box::new(Apng::new(writer, size, film.pictures(), rate)?),
            RenderTarget::Picture(_) | RenderTarget::Folder(_) => {
                Box::new(Single { writer: Some(writer) })
            }
        });
        Ok(output)
    }

    pub(super) fn file(&mut self) -> &mut (dyn FilmFile + Send) {
        self.file.as_deref_mut().expect("it is there until it is kept")
    }

    /// Ends the film, and gives it its name.
    pub(super) fn keep(mut self) -> Result<(), FilmError> {
        if let Some(file) = self.file.take() {
            file.finish()?;
        }
        if let Some([temporary, path]) = self.names.take() {
            fs::rename(temporary, path).map_err(EncodeError::Io)?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some([temporary, _]) = &self.names {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Pictures in a folder.
#[derive(Debug)]
struct Pictures {
    folder: PathBuf,
    written: usize,
}

impl FilmFile for Pictures {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        let path = self.folder.join(format!("picture_{:06}.png", self.written));
        self.written += 1;
        write_png(image, BufWriter::new(File::create(path)?))
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}

/// One picture.
#[derive(Debug)]
struct Single {
    writer: Option<BufWriter<File>>,
}

impl FilmFile for Single {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        self.writer.take().map_or(Ok(()), |writer| write_png(image, writer))
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}
