//! Elastic materials, gravity and attachments, one file a term.
