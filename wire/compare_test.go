package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCompareIsSymmetric draws two hellos that differ in some of the fields: both ends must reach the
// same code, accept exactly when nothing that matters differs, and write texts that can be sent.
func TestCompareIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mine := drawHello(t)
		theirs := mine
		other := drawHello(t)
		if rapid.Bool().Draw(t, "version") {
			theirs.Version++
		}
		if rapid.Bool().Draw(t, "run") {
			theirs.RunName = other.RunName
		}
		if rapid.Bool().Draw(t, "model") {
			theirs.Signature = other.Signature
		}
		if rapid.Bool().Draw(t, "initial") {
			theirs.Initial = other.Initial
		}
		if rapid.Bool().Draw(t, "recipe") {
			theirs.Recipe = other.Recipe
		}
		here, there := Compare(mine, theirs), Compare(theirs, mine)
		if (here == nil) != (there == nil) || here != nil && here.Code != there.Code {
			t.Fatalf("here %+v, there %+v", here, there)
		}
		if want := theirs.Version == mine.Version && theirs.RunName == mine.RunName &&
			Diff(mine.Signature, theirs.Signature) == "" && alike(mine.Initial, theirs.Initial) &&
			alike(mine.Recipe, theirs.Recipe); want != (here == nil) {
			t.Fatalf("%+v for\n%+v and\n%+v", here, mine, theirs)
		}
		if here != nil {
			if _, err := (Format{}).Append(nil, *here); err != nil {
				t.Fatalf("the refusal cannot be sent: %v", err)
			}
		}
	})
}

// alike compares fields of which the zero value is not compared.
func alike[T comparable](a, b T) bool {
	var zero T
	return a == b || a == zero || b == zero
}

func TestDiffAgreesWithHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawHello(t).Signature, drawHello(t).Signature
		if rapid.Bool().Draw(t, "prefix") {
			b = a[:rapid.IntRange(0, len(a)).Draw(t, "length")]
		}
		if equal := a.Hash() == b.Hash(); equal != (Diff(a, b) == "") || (Diff(a, b) == "") != (Diff(b, a) == "") {
			t.Fatalf("hashes equal: %v, differences %q and %q", equal, Diff(a, b), Diff(b, a))
		}
	})
}
