package consensus

import "slices"

// RecipeInfo is a named, documented composition of a wait policy and a mix set.
type RecipeInfo struct {
	Name     string
	Title    string
	Wait     string // when a peer mixes
	Mix      string // with whom
	Equation string
	Source   string // the paper behind it
	When     string // when to use it
	WhenNot  string
	Options  []Option // the options it reads; in the registry without those that are common to many
}

// Option is an option as a recipe reads it.
type Option struct {
	Name    string // as in configuration files
	Default string
	Meaning string
	set     func(o Options) bool // whether it differs from its zero value
}

// composed is a recipe with what builds it.
type composed struct {
	RecipeInfo
	build    func(m *Machine)
	defaults func(o *Options)
	pieces   func(o Options) []socketPiece
}

// Recipes returns all recipes, the default first.
func Recipes() []RecipeInfo {
	all := make([]RecipeInfo, len(recipes))
	for i, r := range recipes {
		all[i] = r.RecipeInfo
		all[i].Options = r.options()
	}
	return all
}

// LookupRecipe returns the recipe of that name.
func LookupRecipe(name string) (RecipeInfo, bool) {
	r := lookup(name)
	if r == nil {
		return RecipeInfo{}, false
	}
	info := r.RecipeInfo
	info.Options = r.options()
	return info, true
}

func lookup(name string) *composed {
	for i := range recipes {
		if recipes[i].Name == name {
			return &recipes[i]
		}
	}
	return nil
}

// reads tells whether the recipe reads the option.
func (r *composed) reads(name string) bool {
	return slices.ContainsFunc(r.options(), func(o Option) bool { return o.Name == name })
}
