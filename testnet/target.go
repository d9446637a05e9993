package testnet

// Reading is one evaluation of the average of all estimates on the held-out data.
type Reading struct {
	At       float64 // seconds
	Loss     float64
	Accuracy float64
	RMSE     float64 // of a regression, in the unit of the data
}

// TimeTo returns when a metric of the readings first met the target, interpolated between the reading
// before and the one that met it; nil when none did. The metric is loss or rmse (met from above)
// or accuracy (met from below).
func TimeTo(readings []Reading, metric string, target float64) *float64 {
	short := func(r Reading) float64 { return target - r.Accuracy }
	switch metric {
	case "loss":
		short = func(r Reading) float64 { return r.Loss - target }
	case "rmse":
		short = func(r Reading) float64 { return r.RMSE - target }
	}
	for i, r := range readings {
		if !(short(r) <= 0) { // NaN has not met it
			continue
		}
		at := r.At
		if i > 0 && short(readings[i-1]) > 0 {
			before := readings[i-1]
			at = before.At + (r.At-before.At)*short(before)/(short(before)-short(r))
		}
		return &at
	}
	return nil
}
