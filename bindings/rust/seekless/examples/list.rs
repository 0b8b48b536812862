//! Prints every path of packs with its size. Usage: list PACKS
fn main() -> seekless::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "packs".into());
    for (path, found) in seekless::Packs::open(path)?.list()? {
        println!("{path} {}", found.size_bytes);
    }
    Ok(())
}
