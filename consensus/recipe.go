package consensus

// recipe is a named composition.
type recipe struct {
	build func(m *Machine)
}

var recipes = map[string]recipe{
	"dpsgd":   {build: buildDPSGD},
	"quorum":  {build: buildQuorum},
	"pulse":   {build: buildPulse},
	"backup":  {build: buildBackup},
	"dybw":    {build: buildDYBW},
	"barrier": {build: buildBarrier},
}
