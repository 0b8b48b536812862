class Seekless < Formula
  desc "Packs game content in load order, so that a hard disk needn't seek"
  homepage "@URL@"
  url "@URL@/seekless-@VERSION@-linux-x86_64.tar.xz"
  sha256 "@SHA256_LINUX@"
  license "MIT"
  depends_on :linux
  depends_on arch: :x86_64

  def install
    prefix.install Dir["*"]
    bash_completion.install_symlink share/"bash-completion/completions/seekless"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/seekless --version")
  end
end
