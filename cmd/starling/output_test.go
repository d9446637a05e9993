package main

import "testing"

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{{"quorum", 3, "quo"}, {"µs", 1, "µ"}, {"µs", 80, "µs"}, {"x", -1, ""}} {
		if got := clip(c.line, c.width); got != c.want {
			t.Errorf("clip(%q, %d) is %q", c.line, c.width, got)
		}
	}
}
