package task

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/data/mnist"
)

// source is where a data set comes from.
type source struct {
	table     bool   // it has named columns, one of which is learned
	needsPath bool   // there is no place to look by default
	path      string // what the path is to be
	read      func(Spec) (data.Split, error)
}

// sources are the known data sets.
var sources = map[string]source{
	"digits":        {read: func(s Spec) (data.Split, error) { return data.Digits(s.TestFraction) }},
	"mnist":         {read: readMNIST},
	"fashion-mnist": {read: readFashion},
	"idx": {
		needsPath: true, path: "a folder with MNIST's four files",
		read: func(s Spec) (data.Split, error) { return data.IDX("idx", s.Path, nil) },
	},
	"csv": {
		table: true, needsPath: true, path: "a file with a header", read: readCSV,
	},
}

func readMNIST(s Spec) (data.Split, error) {
	if s.Path == "" {
		folder, err := mnist.Folder()
		if err != nil {
			return data.Split{}, err
		}
		s.Path = folder
	}
	return data.IDX("mnist", s.Path, nil)
}

// fashionFolder is where Debian's package puts the files.
const fashionFolder = "/usr/share/datasets/fashion-mnist"

func readFashion(s Spec) (data.Split, error) {
	byDefault := s.Path == ""
	if byDefault {
		s.Path = fashionFolder
	}
	split, err := data.IDX("fashion-mnist", s.Path, []string{
		"t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle-boot",
	})
	if byDefault && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w, or install Debian's package dataset-fashion-mnist", err)
	}
	return split, err
}

func readCSV(s Spec) (data.Split, error) {
	return data.CSV(s.Path, data.Table{
		Label: s.Label, Regression: s.Kind == Regression, Classes: s.Classes,
		Raw: s.Scale == scaleNone, Fraction: s.TestFraction,
	})
}
