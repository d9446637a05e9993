package settings

import (
	"os"
	"path/filepath"
	"strings"
)

// Path names a file or a folder. In a file it is relative to the folder of that file, elsewhere to the
// working directory; ~/ is the home of the user.
type Path string

// resolve returns the path as seen from the working directory.
func (p Path) resolve(at position) Path {
	text := string(p)
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return Path(filepath.Join(home, rest))
		}
	}
	if text == "" || filepath.IsAbs(text) {
		return p
	}
	return Path(filepath.Join(at.folder(), text))
}
