package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// How recipes are told apart: with 7 colours (Okabe and Ito) and 4 patterns, 28 recipes differ, and
// those of the first seven do so in print as well.
var (
	colours = []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff},
		{0xd5, 0x5e, 0x00, 0xff},
		{0x00, 0x9e, 0x73, 0xff},
		{0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff},
		{0x56, 0xb4, 0xe9, 0xff},
		{0x33, 0x33, 0x33, 0xff},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}
)

var grey = color.RGBA{0x77, 0x77, 0x77, 0xff}

// lines is a plot of curves with their range.
type lines struct {
	title, x, y string
	logarithmic bool // of y; all values are above 0
	top         bool // the legend is where the curves are not
	curves      []line
	events      []happening
	reference   float64 // a value of y to be reached; 0: none
}

// line is one curve of a plot.
type line struct {
	name  string
	order int // of the recipe among all, for its colour
	band
}

// newPlot returns an empty plot in the style of the report.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	face := func(size vg.Length) font.Font {
		return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	}
	p.Title.TextStyle.Font = face(12)
	p.Title.Padding = 6
	p.Legend.TextStyle.Font = face(10)
	p.Legend.ThumbnailWidth = 26
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = face(11)
		axis.Tick.Label.Font = face(10)
	}
	return p
}

// plot makes the plot.
func (l *lines) plot() (*plot.Plot, error) {
	p := newPlot(l.title, l.x, l.y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xf2}
	p.Add(grid)
	p.X.Tick.Marker, p.Y.Tick.Marker = even{}, even{}
	for _, c := range l.curves {
		if err := c.add(p); err != nil {
			return nil, fmt.Errorf("plot %s: %w", l.title, err)
		}
	}
	p.Legend.Top = l.top
	if l.logarithmic {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	if l.reference != 0 && l.reference > p.Y.Min && l.reference < p.Y.Max {
		p.Add(&rule{at: l.reference, text: "target " + figure(l.reference), level: true})
	}
	for _, e := range l.events {
		p.Add(&rule{at: e.at, text: e.text})
	}
	return p, nil
}

// add draws the range of a curve and its middle.
func (l *line) add(p *plot.Plot) error {
	stroke := colours[l.order%len(colours)]
	points := make(plotter.XYs, len(l.x))
	around := make(plotter.XYs, 2*len(l.x))
	ranged := false
	for i, x := range l.x {
		points[i] = plotter.XY{X: x, Y: l.middle[i]}
		around[i] = plotter.XY{X: x, Y: l.low[i]}
		around[len(around)-1-i] = plotter.XY{X: x, Y: l.high[i]}
		ranged = ranged || l.low[i] != l.high[i]
	}
	if ranged {
		area, err := plotter.NewPolygon(around)
		if err != nil {
			return err
		}
		area.Color = color.NRGBA{stroke.R, stroke.G, stroke.B, 0x30}
		area.LineStyle.Width = 0
		p.Add(area)
	}
	curve, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	curve.Color, curve.Width, curve.Dashes = stroke, vg.Points(1.6), dashes[l.order%len(dashes)]
	p.Add(curve)
	p.Legend.Add(l.name, curve)
	return nil
}

// rule is a straight line with a word: a target to be reached, or when something happened.
type rule struct {
	at    float64
	text  string
	level bool
}

// Plot implements plot.Plotter.
func (r *rule) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: grey, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}
	text := p.X.Tick.Label
	text.Color, text.XAlign, text.YAlign = grey, draw.XLeft, draw.YBottom
	if r.level {
		c.StrokeLine2(style, c.Min.X, y(r.at), c.Max.X, y(r.at))
		c.FillText(text, vg.Point{X: c.Min.X + 4, Y: y(r.at) + 2}, r.text)
		return
	}
	if r.at < p.X.Min || r.at > p.X.Max {
		return
	}
	c.StrokeLine2(style, x(r.at), c.Min.Y, x(r.at), c.Max.Y)
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	c.FillText(text, vg.Point{X: x(r.at) + 2, Y: c.Min.Y + 4}, r.text)
}

// even are ticks at 1, 2 or 5 times a power of ten, at least four of them.
type even struct{}

// Ticks implements plot.Ticker.
func (even) Ticks(low, high float64) []plot.Tick {
	const least = 4
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: figure(low)}}
	}
	step := math.Pow(10, math.Ceil(math.Log10(high-low)))
	for _, share := range []float64{0.5, 0.2, 0.1, 0.05} {
		if finer := step * share; (high-low)/finer >= least {
			step = finer
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 4, 64)})
	}
	return ticks
}

// decades are ticks at 1, 2 and 5 times the powers of ten.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

// size is that of a plot on paper.
type size struct{ width, height vg.Length }

const (
	margin     = 6   // points
	resolution = 192 // dots per inch
)

var (
	wide   = size{6.4 * vg.Inch, 3.8 * vg.Inch}
	square = size{4.2 * vg.Inch, 4.2 * vg.Inch}
)

// draw puts a plot onto a canvas, with a margin that its last label needs.
func (s size) draw(p *plot.Plot, to vg.CanvasSizer) {
	c := draw.New(to)
	c.FillPolygon(color.White, c.ClipPolygonXY([]vg.Point{
		c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y},
	}))
	p.Draw(draw.Crop(c, margin, -2*margin, margin, -margin))
}

// svg returns a plot as SVG.
func (s size) svg(p *plot.Plot) ([]byte, error) {
	to := vgsvg.New(s.width, s.height)
	s.draw(p, to)
	var text bytes.Buffer
	_, err := to.WriteTo(&text)
	return plainFonts(text.Bytes()), err
}

// png returns a plot as PNG.
func (s size) png(p *plot.Plot) ([]byte, error) {
	to := vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(resolution))
	s.draw(p, to)
	var image bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: to}.WriteTo(&image)
	return image.Bytes(), err
}

// plainFonts lets fonts of the same widths step in where Liberation is not installed.
func plainFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;"))
}

// figure writes at most four digits.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
