//! The policy's classes by name, in the order of its file; selectors have those that they name, so
//! only reports need these.

use crate::policy::selector::Selector;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Classes<'a>(pub Vec<(String, Selector<'a>)>);

struct InOrder;

impl<'de: 'a, 'a> Deserialize<'de> for Classes<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(InOrder).map(Classes)
    }
}

impl<'de> Visitor<'de> for InOrder {
    type Value = Vec<(String, Selector<'de>)>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("selectors by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut classes = Vec::new();
        while let Some(class) = map.next_entry()? {
            classes.push(class);
        }
        Ok(classes)
    }
}
