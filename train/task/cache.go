package task

import (
	"fmt"
	"os"
	"sync"
	"weak"

	"github.com/starling-ml/starling/train/data"
)

// cache shares data sets between the tasks of one process, as long as one of them is in use.
var cache struct {
	sync.Mutex
	splits map[string]weak.Pointer[data.Split]
}

// load reads the data of a spec, or returns what another task has already read. Splits are immutable.
func load(s Spec) (*data.Split, error) {
	cache.Lock() // during the reading too: others would want the same
	defer cache.Unlock()
	key := cacheKey(s)
	if split := cache.splits[key].Value(); split != nil {
		return split, nil
	}
	split, err := sources[s.Dataset].read(s)
	if err != nil {
		return nil, err
	}
	if cache.splits == nil {
		cache.splits = map[string]weak.Pointer[data.Split]{}
	}
	cache.splits[key] = weak.Make(&split)
	return &split, nil
}

// cacheKey tells apart what would be read differently, a file that has changed included.
func cacheKey(s Spec) string {
	key := fmt.Sprintf("%q %q %q %q %q %q %g", s.Dataset, s.Path, s.Label, s.Kind, s.Scale, s.Classes, s.TestFraction)
	if info, err := os.Stat(s.Path); err == nil {
		key += fmt.Sprintf(" %d %v", info.Size(), info.ModTime())
	}
	return key
}
