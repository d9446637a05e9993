package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// matrix is one value for each pair of peers; NaN: nothing was recorded.
type matrix struct {
	names []string
	cells [][]float64 // by row and column
}

// Limits of what can be seen in a heat map.
const (
	mostPeers    = 256 // more are not drawn
	mostNumbers  = 12  // more have no numbers in their cells
	mostShapes   = 24  // more are drawn as an image
	longestName  = 10
	heatShades   = 101
	darkFrom     = 0.68 // share of the highest value from which text is white
	numberSize   = 8
	smallestSize = 6
)

// newMatrix returns a matrix of nothing.
func newMatrix(names []string) *matrix {
	m := &matrix{names: names, cells: make([][]float64, len(names))}
	for i := range m.cells {
		m.cells[i] = make([]float64, len(names))
		for k := range m.cells[i] {
			m.cells[i][k] = math.NaN()
		}
	}
	return m
}

// meanOf is the mean of matrices of the same peers over those that have a value.
func meanOf(all []*matrix) *matrix {
	if len(all) == 0 {
		return nil
	}
	m := newMatrix(all[0].names)
	for i := range m.cells {
		for k := range m.cells[i] {
			sum, count := 0.0, 0
			for _, one := range all {
				if v := one.cells[i][k]; !math.IsNaN(v) {
					sum += v
					count++
				}
			}
			if count > 0 {
				m.cells[i][k] = sum / float64(count)
			}
		}
	}
	return m
}

// empty tells whether nothing was recorded.
func (m *matrix) empty() bool {
	for _, row := range m.cells {
		for _, v := range row {
			if !math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

// Dims implements plotter.GridXYZ.
func (m *matrix) Dims() (columns, rows int) { return len(m.names), len(m.names) }

// Z implements plotter.GridXYZ. The first row is at the top.
func (m *matrix) Z(column, row int) float64 { return m.cells[len(m.names)-1-row][column] }

// X implements plotter.GridXYZ.
func (m *matrix) X(column int) float64 { return float64(column) }

// Y implements plotter.GridXYZ.
func (m *matrix) Y(row int) float64 { return float64(row) }

// shades go from white to blue: a palette.Palette.
type shades struct{}

func (shades) Colors() []color.Color {
	all := make([]color.Color, heatShades)
	for i := range all {
		share := float64(i) / (heatShades - 1)
		mix := func(from, to float64) uint8 { return uint8(math.Round(from + (to-from)*share)) }
		all[i] = color.RGBA{mix(0xff, 0x00), mix(0xff, 0x4a), mix(0xff, 0x80), 0xff}
	}
	return all
}

// draw makes a heat map.
func (m *matrix) draw(title, x, y string) (*plot.Plot, error) {
	if len(m.names) > mostPeers {
		return nil, fmt.Errorf("%d peers: at most %d can be seen in a heat map", len(m.names), mostPeers)
	}
	p := newPlot(title, x, y)
	top := m.highest()
	heat := plotter.NewHeatMap(m, shades{})
	heat.Min, heat.Max, heat.NaN = 0, top, color.Gray{0xe8}
	heat.Rasterized = len(m.names) > mostShapes
	p.Add(heat)
	p.X.Tick.Marker, p.Y.Tick.Marker = m.ticks(false), m.ticks(true)
	p.X.Tick.Length, p.Y.Tick.Length = 0, 0
	if len(m.names) <= mostNumbers {
		p.Add(&numbers{m, top})
	}
	return p, nil
}

// highest is the highest value, 1 if there is none above 0.
func (m *matrix) highest() float64 {
	top := 0.0
	for _, row := range m.cells {
		for _, v := range row {
			if v > top {
				top = v
			}
		}
	}
	if top == 0 {
		return 1
	}
	return top
}

// ticks are the names of peers, of some where there are many.
func (m *matrix) ticks(upwards bool) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	every := (len(m.names) + mostShapes - 1) / mostShapes
	for i := 0; i < len(m.names); i += max(every, 1) {
		place := i
		if upwards {
			place = len(m.names) - 1 - i
		}
		ticks = append(ticks, plot.Tick{Value: float64(place), Label: short(m.names[i])})
	}
	return ticks
}

// short is a name that fits beside a row.
func short(name string) string {
	letters := []rune(name)
	if len(letters) <= longestName {
		return name
	}
	return string(letters[:longestName-1]) + "…"
}

// numbers writes the values into the cells.
type numbers struct {
	*matrix
	top float64
}

// Plot implements plot.Plotter.
func (n *numbers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	style.Font.Size = numberSize
	if len(n.names) > mostNumbers*2/3 {
		style.Font.Size = smallestSize
	}
	for row := range n.names {
		for column := range n.names {
			v := n.Z(column, row)
			if math.IsNaN(v) || v == 0 {
				continue
			}
			style.Color = color.Black
			if v > darkFrom*n.top {
				style.Color = color.White
			}
			at := draw.Canvas{}.Min
			at.X, at.Y = x(float64(column)), y(float64(row))
			c.FillText(style, at, cellText(v))
		}
	}
}

// cellText is a value as short as a cell wants it.
func cellText(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v < 0.005:
		return "~0"
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
