//! Materials of sheets.

use super::ShellError;
use crate::VonMises;
use resile_math::{Mat3, Vec3};

/// An isotropic material and the thickness of a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetMaterial {
    young: f64,
    poisson: f64,
    thickness: f64,
}

impl SheetMaterial {
    /// A sheet with Young's modulus (Pa), Poisson's ratio and thickness (m).
    ///
    /// # Errors
    /// Unless modulus and thickness are positive and finite and `-1 < nu <= 0.5`; plane stress admits
    /// incompressible sheets.
    pub fn new(young: f64, poisson: f64, thickness: f64) -> Result<Self, ShellError> {
        positive("Young's modulus", young, "Pa")?;
        check_poisson(poisson)?;
        positive("the thickness", thickness, "m")?;
        Ok(Self { young, poisson, thickness })
    }

    /// Young's modulus (Pa).
    pub fn young(&self) -> f64 {
        self.young
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }

    /// The thickness (m).
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The stretching stiffness in plane stress.
    pub fn plane(&self) -> PlaneLame {
        PlaneLame::new(self.young * self.thickness, self.poisson)
    }

    /// `D = E t^3 / (12 (1 - nu^2))` (N m): moment a unit width over curvature, when
    /// the sheet is bent to a cylinder (Timoshenko & Woinowsky-Krieger, *Theory of
    /// Plates and Shells*, eq. 3).
    pub fn flexural_rigidity(&self) -> f64 {
        self.young * self.thickness.powi(3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }

    /// The bending stiffness.
    pub fn plate(&self) -> PlateStiffness {
        PlateStiffness { rigidity: self.flexural_rigidity(), poisson: self.poisson }
    }

    /// The plastic bending of a sheet whose material yields: see [`MomentYield`].
    pub fn yielding(&self, flow: VonMises) -> MomentYield {
        let t = self.thickness;
        MomentYield {
            moment: flow.yield_stress() * t * t / 4.0,
            hardening: flow.hardening() * t.powi(3) / 12.0,
            thickness: t,
        }
    }
}

/// Plastic bending with linear isotropic hardening: a section in uniaxial bending yields at the moment M per unit
/// width, and after the plastic curvature alpha at `M + H alpha`.
///
/// For a sheet of thickness t whose material yields at the stress sigma and hardens by H (stress per plastic strain),
/// `M = sigma t^2 / 4`, the moment of a section that yields from surface to surface, and the hardening is `H t^3 / 12`.
/// Moment and curvature are then those of the layers of the section if the curvature exceeds that at the onset of
/// yielding by far. Near the onset, where the layers yield one after another from two thirds of M on, the moment is up
/// to 17 % too large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentYield {
    moment: f64,
    hardening: f64,
    thickness: f64,
}

impl MomentYield {
    /// The law for a yield moment (N m per m), a hardening (N m, moment per unit width over plastic curvature), and a
    /// thickness (m), from which plastic strains of the surfaces are computed.
    ///
    /// # Errors
    /// Unless moment and thickness are positive, hardening is not negative, and all are finite.
    pub fn new(moment: f64, hardening: f64, thickness: f64) -> Result<Self, ShellError> {
        positive("the yield moment", moment, "N")?;
        positive("the thickness", thickness, "m")?;
        if !(hardening >= 0.0 && hardening.is_finite()) {
            return Err(ShellError::Hardening { hardening });
        }
        Ok(Self { moment, hardening, thickness })
    }

    /// The yield moment (N m per m).
    pub fn moment(&self) -> f64 {
        self.moment
    }

    /// The hardening (N m).
    pub fn hardening(&self) -> f64 {
        self.hardening
    }

    /// The thickness (m).
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The law of the same material with another thickness; `ratio` is new over old.
    #[must_use]
    pub fn thickened(self, ratio: f64) -> Self {
        Self {
            moment: self.moment * ratio * ratio,
            hardening: self.hardening * ratio.powi(3),
            thickness: self.thickness * ratio,
        }
    }
}

/// Bending parameters of a triangle of a plate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlateSection {
    /// Elastic stiffness.
    pub stiffness: PlateStiffness,
    /// A factor of the stiffness; positive and finite.
    pub factor: f64,
    /// Plastic bending; either all triangles of a plate have it or none.
    pub yielding: Option<MomentYield>,
}

impl PlateSection {
    /// The tensor of [`PlateStiffness::tensor`] times the factor.
    pub(super) fn tensor(&self) -> Mat3 {
        self.stiffness.tensor() * self.factor
    }
}

/// The bending stiffness of an isotropic plate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlateStiffness {
    rigidity: f64,
    poisson: f64,
}

impl PlateStiffness {
    /// The stiffness for the flexural rigidity D (N m; [`SheetMaterial::flexural_rigidity`]) and Poisson's ratio.
    ///
    /// # Errors
    /// Unless the rigidity is positive and finite and `-1 < nu <= 0.5`.
    pub fn new(rigidity: f64, poisson: f64) -> Result<Self, ShellError> {
        positive("the flexural rigidity", rigidity, "N m")?;
        check_poisson(poisson)?;
        Ok(Self { rigidity, poisson })
    }

    /// The flexural rigidity (N m).
    pub fn rigidity(&self) -> f64 {
        self.rigidity
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }

    /// The stiffness tensor (N m): the energy density (J/m^2) is half of `k . tensor k` with the curvatures k (xx, yy
    /// and xy, 1/m).
    pub(super) fn tensor(self) -> Mat3 {
        let Self { rigidity, poisson } = self;
        Mat3::from_cols(
            Vec3::new(1.0, poisson, 0.0),
            Vec3::new(poisson, 1.0, 0.0),
            Vec3::new(0.0, 0.0, 2.0 * (1.0 - poisson)),
        ) * rigidity
    }
}

/// Lame's parameters of a sheet in plane stress, times its thickness (N/m, which is
/// joules per square metre of rest area).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneLame {
    mu: f64,
    lambda: f64,
    poisson: f64,
}

impl PlaneLame {
    /// Parameters for the stretching stiffness `E t` (N/m), force per unit width over strain in uniaxial tension, and
    /// Poisson's ratio: `mu = E t / (2 (1 + nu))`, `lambda = E t nu / (1 - nu^2)`.
    ///
    /// # Errors
    /// Unless the stiffness is positive and finite and `-1 < nu <= 0.5`.
    pub fn from_stretching(stiffness: f64, poisson: f64) -> Result<Self, ShellError> {
        positive("the stretching stiffness", stiffness, "N/m")?;
        check_poisson(poisson)?;
        Ok(Self::new(stiffness, poisson))
    }

    /// As [`from_stretching`](Self::from_stretching), without checks.
    fn new(stiffness: f64, poisson: f64) -> Self {
        let mu = stiffness / (2.0 * (1.0 + poisson));
        Self { mu, lambda: stiffness * poisson / (1.0 - poisson * poisson), poisson }
    }

    /// Shear stiffness (N/m).
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// The plane stress counterpart of Lame's first parameter (N/m).
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }
}

/// The energy density of a membrane (J per square metre of rest area) as a function of the 3x2
/// deformation gradient F of the flat rest triangle, with `C = F^T F` and the ratio of areas
/// `J = sqrt(det C)`. Both laws linearise to Hooke's law in plane stress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MembraneLaw {
    /// `psi = mu |G|^2 + lambda/2 (tr G)^2`, G = (C - I)/2: a quartic polynomial of
    /// position, with little resistance to strong compression and finite for triangles that
    /// collapse to a line.
    StVenantKirchhoff(PlaneLame),
    /// The tetrahedra's neo-Hookean law in plane stress:
    /// `psi = mu/2 (tr C + c - 3) - mu ln(J sqrt(c)) + lambda_3/2 ln(J sqrt(c))^2` with the squared thickness
    /// stretch c for which the normal stress vanishes. For nu = 1/2 it is `mu/2 (tr C + 1/J^2 - 3)`, with the limit
    /// pressure `2 mu t/R 0.6197` of a balloon. It is infinite at J = 0. Poisson's ratio must not be negative,
    /// because the energy would not be bounded from below under compression.
    NeoHookean(PlaneLame),
}

impl MembraneLaw {
    /// Checks that the energy is bounded from below.
    ///
    /// # Errors
    /// If Poisson's ratio of a neo-Hookean sheet is negative.
    pub fn check(&self) -> Result<(), ShellError> {
        match *self {
            Self::NeoHookean(lame) if lame.poisson < 0.0 => {
                Err(ShellError::Auxetic { poisson: lame.poisson })
            }
            Self::NeoHookean(_) | Self::StVenantKirchhoff(_) => Ok(()),
        }
    }
}

/// Checks that a parameter is positive and finite.
pub(super) fn positive(
    parameter: &'static str,
    value: f64,
    unit: &'static str,
) -> Result<(), ShellError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ShellError::NotPositive { parameter, value, unit })
    }
}

/// Checks that Poisson's ratio is admissible in plane stress.
fn check_poisson(poisson: f64) -> Result<(), ShellError> {
    if poisson > -1.0 && poisson <= 0.5 { Ok(()) } else { Err(ShellError::Poisson { poisson }) }
}
