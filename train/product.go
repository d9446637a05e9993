package train

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// matrix is a row-major matrix, or the transpose of one.
type matrix struct {
	rows, cols int // as seen, after transposing
	stride     int // of the memory
	flipped    bool
	data       []float32
}

func plain(data []float32, rows, cols int) matrix {
	return matrix{rows: rows, cols: cols, stride: cols, data: data}
}

// transposed returns the transpose of the matrix of rows x cols in data.
func transposed(data []float32, rows, cols int) matrix {
	return matrix{rows: cols, cols: rows, stride: cols, flipped: true, data: data}
}

// Sizes of a tile. gonum starts goroutines from four blocks of 64 x 64 results on; a tile has three, so
// that training stays on the calling goroutine, and its part of b fits the cache.
const (
	tileRows = 64
	tileCols = 192
	tileDeep = 64
)

// addProduct adds a*b to c. The factor alpha of Gemm stays 1: gonum then computes with products that
// are exact or rounded before they are added, and the bits do not depend on the machine.
func addProduct(c, a, b matrix) {
	for i := 0; i < c.rows; i += tileRows {
		rows := min(tileRows, c.rows-i)
		for j := 0; j < c.cols; j += tileCols {
			cols := min(tileCols, c.cols-j)
			for k := 0; k < a.cols; k += tileDeep {
				deep := min(tileDeep, a.cols-k)
				blas32.Gemm(a.op(), b.op(), 1, a.tile(i, k, rows, deep), b.tile(k, j, deep, cols),
					1, c.tile(i, j, rows, cols))
			}
		}
	}
}

func (m matrix) op() blas.Transpose {
	if m.flipped {
		return blas.Trans
	}
	return blas.NoTrans
}

// tile returns the memory of the rows x cols part that starts at (i, j), untransposed as Gemm wants it.
func (m matrix) tile(i, j, rows, cols int) blas32.General {
	if m.flipped {
		i, j, rows, cols = j, i, cols, rows
	}
	from := i*m.stride + j
	to := from + (rows-1)*m.stride + cols
	return blas32.General{Rows: rows, Cols: cols, Stride: m.stride, Data: m.data[from:to]}
}
