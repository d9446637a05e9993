package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
)

// newRecipes returns `starling recipes`.
func newRecipes() *cobra.Command {
	cmd := &cobra.Command{
		Use: "recipes [NAME]", Short: "list the recipes, or explain one", Args: arguments(0, 1),
		Example:           "  starling recipes\n  starling recipes pulse",
		ValidArgsFunction: completeRecipes,
	}
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all := consensus.Recipes()
		if len(args) == 1 {
			one, ok := consensus.LookupRecipe(args[0])
			if !ok {
				return notOneOf(args[0], settings.Recipe("").Choices())
			}
			all = []consensus.RecipeInfo{one}
		}
		switch {
		case *asJSON:
			return printJSON(cmd.OutOrStdout(), recipeList(all))
		case len(args) == 1:
			return explainRecipe(cmd.OutOrStdout(), paletteOf(cmd), all[0])
		default:
			return listRecipes(cmd.OutOrStdout(), all)
		}
	}
	return cmd
}

func completeRecipes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return settings.Recipe("").Choices(), cobra.ShellCompDirectiveNoFileComp
}

func listRecipes(w io.Writer, all []consensus.RecipeInfo) error {
	text := ""
	for _, r := range all {
		text += fmt.Sprintf("%-8s  %s\n          %s\n", r.Name, r.Title, wrap(r.When, 10))
	}
	_, err := fmt.Fprintf(w, "%s\n%s is the default; starling recipes NAME explains one\n", text, all[0].Name)
	return err
}

func explainRecipe(w io.Writer, p palette, r consensus.RecipeInfo) error {
	text := fmt.Sprintf("%s: %s\n\n", p.bold(r.Name), r.Title)
	for _, row := range [][2]string{
		{"waits", r.Wait},
		{"mixes", r.Mix},
		{"equation", r.Equation},
		{"source", r.Source},
		{"use it when", r.When},
		{"not when", r.WhenNot},
	} {
		text += fmt.Sprintf("%-13s%s\n", row[0], wrap(row[1], 13))
	}
	text += "\noptions, with their defaults\n"
	for _, o := range recipeOptions(r) {
		text += fmt.Sprintf("  %s: %s\n      %s\n", o.Key, o.Default, wrap(o.Meaning, 6))
	}
	_, err := io.WriteString(w, text)
	return err
}

// wrap breaks a text between words so that it fits 80 columns when it begins in column indent.
func wrap(text string, indent int) string {
	out, column := "", indent
	for i, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+length > 80:
			out, column = out+"\n"+strings.Repeat(" ", indent), indent
		default:
			out, column = out+" ", column+1
		}
		out, column = out+word, column+length
	}
	return out
}

// otherForms are options of the core that are another way to write a value.
var otherForms = map[string]string{
	"grace_fraction": "15%: that share of the median block time",
	"timeout_factor": "10x: so many median block times",
}

// recipeOptions lists the keys that a recipe reads.
func recipeOptions(r consensus.RecipeInfo) []recipeOption {
	list := []recipeOption{}
	for _, o := range r.Options {
		if form, ok := otherForms[o.Name]; ok && len(list) > 0 {
			list[len(list)-1].Meaning += "; " + form
			continue
		}
		list = append(list, recipeOption{settings.OptionKey(o.Name), o.Default, o.Meaning})
	}
	return list
}

// recipeOption and recipe are what --json prints.
type recipeOption struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

type recipe struct {
	Name     string         `json:"name"`
	Title    string         `json:"title"`
	Wait     string         `json:"wait"`
	Mix      string         `json:"mix"`
	Equation string         `json:"equation"`
	Source   string         `json:"source"`
	When     string         `json:"when"`
	WhenNot  string         `json:"when_not"`
	Options  []recipeOption `json:"options"`
}

func recipeList(all []consensus.RecipeInfo) any {
	list := struct {
		V       int      `json:"v"`
		Recipes []recipe `json:"recipes"`
	}{V: 1}
	for _, r := range all {
		entry := recipe{
			Name: r.Name, Title: r.Title, Wait: r.Wait, Mix: r.Mix, Equation: r.Equation,
			Source: r.Source, When: r.When, WhenNot: r.WhenNot, Options: recipeOptions(r),
		}
		list.Recipes = append(list.Recipes, entry)
	}
	return list
}
