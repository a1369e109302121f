//! Materials of elements.

use super::{Material, MaterialError, StrainEnergyDensity};
use resile_math::lanes::LANES;
use std::array::from_fn;
use std::ops::Range;

/// The materials of the elements of a body.
///
/// A uniform material is stored once, without extra cost. Otherwise each group of eight elements
/// has its own [`StrainEnergyDensity`] with the parameters of its elements.
///
/// ```
/// use resile_energy::{Lame, Material, Materials, TetElasticity};
/// use resile_math::Vec3;
/// use resile_system::Energy;
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
/// let tets = [[0, 1, 2, 3], [1, 2, 3, 4]];
/// let [soft, stiff] =
///     [1e5, 2e5].map(|e| Lame::from_young_poisson(e, 0.3).map(Material::NeoHookean).unwrap());
/// let elasticity = |materials: Materials| TetElasticity::new(&rest, &tets, materials).unwrap();
/// let body = elasticity(Materials::by_element(&[soft, stiff])?);
///
/// let x = rest.map(|x| 1.1 * x);
/// let [all_soft, all_stiff] = [soft, stiff].map(|material| elasticity(material.into()).value(0.0, &x));
/// assert!(all_soft < body.value(0.0, &x) && body.value(0.0, &x) < all_stiff);
/// # Ok::<(), resile_energy::MaterialError>(())
/// ```
#[derive(Debug)]
pub struct Materials(Stored);

/// The densities as they are stored.
#[derive(Debug)]
enum Stored {
    Uniform(Box<dyn StrainEnergyDensity>),
    ByGroup { elements: usize, groups: Vec<Box<dyn StrainEnergyDensity>> },
}

impl Materials {
    /// A material for each element.
    ///
    /// # Errors
    /// The first element whose law differs from that of its group of eight (elements `8 k` to
    /// `8 k + 7`): a body with several laws needs one term for each.
    pub fn by_element(materials: &[Material]) -> Result<Self, MaterialError> {
        if let Some((first, rest)) = materials.split_first()
            && rest.iter().all(|material| material == first)
        {
            return Ok(Self::from(*first));
        }
        let group = |(group, materials): (usize, &[Material])| {
            let by_lane = from_fn(|l| materials[l.min(materials.len() - 1)]);
            Material::density(&by_lane).ok_or_else(|| {
                let (first, law) = (group * LANES, std::mem::discriminant(&materials[0]));
                let mixed = materials.iter().position(|m| std::mem::discriminant(m) != law);
                MaterialError::MixedLaws { first, element: first + mixed.unwrap_or(0) }
            })
        };
        let groups = materials.chunks(LANES).enumerate().map(group).collect::<Result<_, _>>()?;
        Ok(Self(Stored::ByGroup { elements: materials.len(), groups }))
    }

    /// A custom strain energy density for all elements.
    pub fn uniform(density: impl StrainEnergyDensity + 'static) -> Self {
        Self(Stored::Uniform(Box::new(density)))
    }

    /// A custom strain energy density for each group of eight of `elements` elements, constructed
    /// from the indices of these elements; the last group may have fewer than eight.
    pub fn by_group<D: StrainEnergyDensity + 'static>(
        elements: usize,
        mut density: impl FnMut(Range<usize>) -> D,
    ) -> Self {
        let group = |first: usize| -> Box<dyn StrainEnergyDensity> {
            Box::new(density(first..elements.min(first + LANES)))
        };
        let groups = (0..elements).step_by(LANES).map(group).collect();
        Self(Stored::ByGroup { elements, groups })
    }

    /// The density of the elements of a group.
    #[inline(always)]
    pub(crate) fn of_group(&self, group: usize) -> &dyn StrainEnergyDensity {
        match &self.0 {
            Stored::Uniform(density) => &**density,
            Stored::ByGroup { groups, .. } => &*groups[group],
        }
    }

    /// The number of elements with a material; `None` for a uniform material.
    pub(crate) fn elements(&self) -> Option<usize> {
        match self.0 {
            Stored::Uniform(_) => None,
            Stored::ByGroup { elements, .. } => Some(elements),
        }
    }

    /// Whether psi of any element is infinite for det F <= 0.
    pub(crate) fn forbid_inversion(&self) -> bool {
        match &self.0 {
            Stored::Uniform(density) => density.forbids_inversion(),
            Stored::ByGroup { groups, .. } => groups.iter().any(|d| d.forbids_inversion()),
        }
    }
}

/// One material for all elements.
impl From<Material> for Materials {
    fn from(material: Material) -> Self {
        let density = Material::density(&[material; LANES]).expect("eight times one law");
        Self(Stored::Uniform(density))
    }
}
