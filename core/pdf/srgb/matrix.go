package srgb

import "math/big"

// vector and matrix have exact fractions.
type (
	vector [Components]*big.Rat
	matrix [Components]vector // rows
)

// diagonal is the matrix that scales by the elements of a vector.
func diagonal(v vector) matrix {
	var m matrix
	for i := range m {
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
		m[i][i] = v[i]
	}
	return m
}

func (m matrix) column(j int) vector { return vector{m[0][j], m[1][j], m[2][j]} }

func (m matrix) apply(v vector) vector {
	var out vector
	for i, row := range m {
		out[i] = new(big.Rat)
		for j := range row {
			out[i].Add(out[i], new(big.Rat).Mul(row[j], v[j]))
		}
	}
	return out
}

func (m matrix) times(n matrix) matrix {
	var out matrix
	for j := range n {
		column := m.apply(n.column(j))
		for i := range out {
			out[i][j] = column[i]
		}
	}
	return out
}

// inverse is by the cofactors; the matrices of this package have one.
func (m matrix) inverse() matrix {
	minor := func(i, j int) *big.Rat {
		a, b, c, d := m[(i+1)%3][(j+1)%3], m[(i+2)%3][(j+2)%3], m[(i+1)%3][(j+2)%3], m[(i+2)%3][(j+1)%3]
		left, right := new(big.Rat).Mul(a, b), new(big.Rat).Mul(c, d)
		return left.Sub(left, right)
	}
	determinant := new(big.Rat)
	for j := range m {
		determinant.Add(determinant, new(big.Rat).Mul(m[0][j], minor(0, j)))
	}
	var out matrix
	for i := range m {
		for j := range m[i] {
			out[j][i] = new(big.Rat).Quo(minor(i, j), determinant)
		}
	}
	return out
}
