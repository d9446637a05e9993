package main

import (
	"fmt"
	"io"
	"text/tabwriter"

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
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "RECIPE\tWHAT IT IS\tUSE IT WHEN")
	for _, r := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Name, r.Title, r.When)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s is the default; starling recipes NAME explains one\n", all[0].Name)
	return err
}

func explainRecipe(w io.Writer, p palette, r consensus.RecipeInfo) error {
	fmt.Fprintf(w, "%s: %s\n\n", p.bold(r.Name), r.Title)
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range [][2]string{
		{"waits", r.Wait},
		{"mixes", r.Mix},
		{"equation", r.Equation},
		{"source", r.Source},
		{"use it when", r.When},
		{"not when", r.WhenNot},
	} {
		fmt.Fprintf(table, "%s\t%s\n", row[0], row[1])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(table, "\nOPTION\tDEFAULT\tMEANING")
	for _, o := range r.Options {
		fmt.Fprintf(table, "%s\t%s\t%s\n", settings.OptionKey(o.Name), o.Default, o.Meaning)
	}
	return table.Flush()
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
			Source: r.Source, When: r.When, WhenNot: r.WhenNot, Options: []recipeOption{},
		}
		for _, o := range r.Options {
			entry.Options = append(entry.Options, recipeOption{settings.OptionKey(o.Name), o.Default, o.Meaning})
		}
		list.Recipes = append(list.Recipes, entry)
	}
	return list
}
