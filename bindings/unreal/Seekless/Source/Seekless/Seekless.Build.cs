// The library lies in ThirdParty/ beside Source/, where `cmake --install` puts it.
using System.IO;
using UnrealBuildTool;

public class Seekless : ModuleRules
{
  public Seekless(ReadOnlyTargetRules Target) : base(Target)
  {
    PublicDependencyModuleNames.Add("Core");
    string Library = Path.Combine(PluginDirectory, "ThirdParty");
    PublicSystemIncludePaths.Add(Path.Combine(Library, "include"));
    if (Target.Platform == UnrealTargetPlatform.Win64)
    {
      PublicDefinitions.Add("SKL_SHARED");
      PublicAdditionalLibraries.Add(Path.Combine(Library, "lib", "seekless.lib"));
      PublicDelayLoadDLLs.Add("seekless.dll");
      RuntimeDependencies.Add("$(BinaryOutputDir)/seekless.dll", Path.Combine(Library, "bin", "seekless.dll"));
    }
    else
    {
      PublicAdditionalLibraries.Add(Path.Combine(Library, "lib", "libseekless.so"));
      RuntimeDependencies.Add("$(BinaryOutputDir)/libseekless.so.0", Path.Combine(Library, "lib", "libseekless.so.0"));
    }
  }
}
