package task

import (
	"fmt"

	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/data"
)

// Prediction is what a model says about one row.
type Prediction struct {
	Class       string  // the likeliest class; empty for a regression
	Probability float64 // of that class; 0 for a regression
	Value       float64 // in the unit of the data file; 0 for classes
}

// Rows reads rows to predict from a CSV file with a header. It must have the columns that the model
// was trained on, in any order: for images x0, x1, ..., in grey levels.
func (t *Task) Rows(path string) ([][]float64, error) {
	return data.ReadRows(path, t.split.Train.Columns)
}

// Predict returns what a model with these parameters says about rows as they stand in a data file.
func (t *Task) Predict(params []float32, rows [][]float64) ([]Prediction, error) {
	if len(params) != t.size {
		return nil, fmt.Errorf("%d parameters for a model of %d", len(params), t.size)
	}
	set := t.split.Train
	model := t.Model()
	predictions := make([]Prediction, len(rows))
	for i, row := range rows {
		if len(row) != set.Features() {
			return nil, fmt.Errorf("row %d has %d values, the model takes %d", i+1, len(row), set.Features())
		}
		output := model.Outputs(params, set.Scaling.Apply(row), 1)
		if t.Spec.Kind == Regression {
			predictions[i].Value = set.Target.Invert(output[0])
			continue
		}
		class, probability := train.Likeliest(output)
		predictions[i] = Prediction{Class: set.Classes[class], Probability: probability}
	}
	return predictions, nil
}
