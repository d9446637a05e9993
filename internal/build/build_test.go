package build

import (
	"runtime"
	"testing"
)

func TestReadKnowsTheToolchain(t *testing.T) {
	t.Parallel()
	info := Read()
	if info.Version != Version || info.Go != runtime.Version() || info.Revision == "" {
		t.Errorf("Read() = %+v", info)
	}
}

func TestInfoInOneLine(t *testing.T) {
	t.Parallel()
	info := Info{
		Version: "1.2.3", Revision: "0123456789abcdef", Modified: true, Go: "go1.26.8", OS: "linux", Arch: "amd64",
	}
	want := "starling 1.2.3   revision 0123456789ab and changes   go1.26.8 linux/amd64"
	if got := info.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
