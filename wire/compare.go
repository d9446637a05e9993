package wire

import "fmt"

// Compare tells whether two peers can train together, as seen by mine. It returns nil when they
// can; otherwise the text names what differs and what to do. Both ends reach the same code.
func Compare(mine, theirs Hello) *Refuse {
	for _, check := range []func(mine, theirs Hello) *Refuse{
		compareProtocol, compareRun, compareModel, compareInitial, compareRecipe,
	} {
		if refuse := check(mine, theirs); refuse != nil {
			return refuse
		}
	}
	return nil
}

func compareProtocol(mine, theirs Hello) *Refuse {
	here, there := mine.version(), theirs.version()
	if here == there {
		return nil
	}
	advice := fmt.Sprintf("upgrade this agent (%s -> %s)", mine.Software, theirs.Software)
	if here > there {
		advice = fmt.Sprintf("upgrade %s (%s -> %s)", theirs.Name, theirs.Software, mine.Software)
	}
	return refuse(CodeProtocol, "%s speaks protocol %d, I speak %d: %s", theirs.Name, there, here, advice)
}

func compareRun(mine, theirs Hello) *Refuse {
	if mine.RunName == theirs.RunName {
		return nil
	}
	return refuse(CodeRun, "%s trains run %s and I train %s: give both the same run name, or remove its address",
		theirs.Name, theirs.RunName, mine.RunName)
}

func compareModel(mine, theirs Hello) *Refuse {
	here, there := mine.Signature.Hash(), theirs.Signature.Hash()
	if here == there {
		return nil
	}
	return refuse(CodeModel, "model id %s differs from %s of %s: %s",
		here.Short(), there.Short(), theirs.Name, Diff(mine.Signature, theirs.Signature))
}

func compareInitial(mine, theirs Hello) *Refuse {
	if mine.Initial == theirs.Initial || mine.Initial == (Hash{}) || theirs.Initial == (Hash{}) {
		return nil
	}
	return refuse(CodeInitial, "initial parameters %s differ from %s of %s: give both the same seed",
		mine.Initial.Short(), theirs.Initial.Short(), theirs.Name)
}

func compareRecipe(mine, theirs Hello) *Refuse {
	if mine.Recipe == theirs.Recipe || mine.Recipe == "" || theirs.Recipe == "" {
		return nil
	}
	return refuse(CodeRecipe, "recipe %q differs from %q of %s: give both the same",
		mine.Recipe, theirs.Recipe, theirs.Name)
}

func refuse(code Code, format string, args ...any) *Refuse {
	text := fmt.Sprintf(format, args...)
	return &Refuse{Code: code, Text: clip(text, MaxText)}
}

func (h Hello) version() uint8 {
	if h.Version == 0 {
		return Version
	}
	return h.Version
}
