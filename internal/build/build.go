// Package build tells which program this is: its version and the source that it was made from.
package build

import (
	"runtime"
	"runtime/debug"
)

// Version is the version of the program. Releases set it when they link.
var Version = "0.1.0-dev"

// Info is what a bug report needs.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the source; "unknown" outside a version control system
	Modified bool   `json:"modified"` // whether the source differed from that revision
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Read returns what the linker noted.
func Read() Info {
	info := Info{
		Version: Version, Revision: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	noted, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	for _, s := range noted.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	return info
}

// String is the program in one line.
func (i Info) String() string {
	revision := i.Revision[:min(12, len(i.Revision))]
	if i.Modified {
		revision += " and changes"
	}
	return "starling " + i.Version + "   revision " + revision + "   " + i.Go + " " + i.OS + "/" + i.Arch
}
