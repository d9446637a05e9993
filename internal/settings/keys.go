package settings

import "slices"

// Keys lists the keys at the top of some files, which tell what the files are. What is not YAML has none.
func Keys(files []File) []string {
	var keys []string
	for i, f := range files {
		p := parsing{source: newFile(f, i)}
		if tree := p.document(f.Text); tree != nil {
			keys = append(keys, tree.keys...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
