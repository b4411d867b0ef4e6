//! The reference of the file, for `docs/`.

use std::fmt::Write;

use super::description::{FILE, Key, Takes};
use super::section::list;

/// Every key of the file as Markdown, made from the description.
pub fn reference() -> String {
    let mut text = String::from(
        "# Configuration\n\n\
         One TOML file, for `--config`; every part of it is optional. `deletegate validate` says everything that is wrong\n\
         with it, `deletegate configure KEY VALUE` changes it and keeps your comments, and `deletegate schema` prints a JSON\n\
         Schema for your editor. The file speaks the database's own names throughout; tools show and take the aliases.\n\n\
         This page is made from the code.\n",
    );
    section(&mut text, "The file", FILE, "");
    text
}

fn section(text: &mut String, title: &str, keys: &'static [Key], path: &str) {
    // Writing to a string has no way to fail.
    let _ = write!(text, "\n## {title}\n\n| key | takes | means | default |\n| --- | --- | --- | --- |\n");
    let mut inner = Vec::new();
    for key in keys {
        let below = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        let needed = if key.required { " Needed." } else { "" };
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| `{}` | {} | {}{needed} | {} |",
            key.name,
            cell(&takes(&key.takes, &below)),
            cell(key.about),
            cell(key.default)
        );
        match &key.takes {
            Takes::Table(keys) => inner.push((below, *keys)),
            Takes::Named(name, Takes::Table(keys)) => inner.push((format!("{below}.{name}"), *keys)),
            _ => {}
        }
    }
    for (path, keys) in inner {
        section(text, &format!("`[{path}]`"), keys, &path);
    }
}

fn takes(takes: &Takes, path: &str) -> String {
    match takes {
        Takes::Text => "a text".to_owned(),
        Takes::Boolean => "`true` or `false`".to_owned(),
        Takes::Integer(least, most) => format!("a whole number, {least} to {most}"),
        Takes::Word(words) => format!("one of {}", list(&words())),
        Takes::Texts => "a list of texts".to_owned(),
        Takes::Patterns => "a list of patterns".to_owned(),
        Takes::Setting => "a setting's name with a dot in it".to_owned(),
        Takes::Store => "`memory`, `sqlite:PATH` or `postgres://USER@HOST/DATABASE`".to_owned(),
        Takes::Engine => "`sqlite:PATH` or `postgres://USER@HOST/DATABASE`".to_owned(),
        Takes::Table(_) => format!("the table `[{path}]`"),
        Takes::Named(name, Takes::Table(_)) => format!("a table `[{path}.{name}]` for each"),
        Takes::Named(name, inner) => format!("a table of `{name} =` {}", self::takes(inner, path)),
    }
}
