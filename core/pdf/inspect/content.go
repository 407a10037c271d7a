package inspect

import (
	"fmt"
	"strings"
)

// operation is an operator of a content stream (ISO 32000-1 §7.8.2) with its operands as they are written.
type operation struct {
	operator string
	operands []string
}

// operations takes a content stream apart. Strings in parentheses and inline images, which the writer never makes, are not known.
func operations(data []byte) (list []operation, err error) {
	var operands []string
	for i := 0; i < len(data); {
		token, next := nextToken(data, i)
		i = next
		switch {
		case token == "":
			return list, nil
		case token[0] == '(':
			return nil, fmt.Errorf("a string in parentheses at byte %d of a content stream", i)
		case strings.IndexByte("0123456789+-./<[", token[0]) >= 0:
			operands = append(operands, token)
		default:
			list = append(list, operation{token, operands})
			operands = nil
		}
	}
	return list, nil
}

// nextToken gives one token: a number, a name, an operator, or a whole string, array or dictionary.
func nextToken(data []byte, i int) (string, int) {
	for i < len(data) && strings.IndexByte(" \t\r\n\f\x00", data[i]) >= 0 {
		i++
	}
	if i == len(data) {
		return "", i
	}
	start := i
	switch data[i] {
	case '[', '<':
		return enclosed(data, start)
	}
	for i++; i < len(data) && strings.IndexByte(" \t\r\n\f\x00[]<>()/", data[i]) < 0; i++ {
	}
	return string(data[start:i]), i
}

// enclosed gives an array, dictionary or hexadecimal string with all that is in it.
func enclosed(data []byte, start int) (string, int) {
	depth := 0
	for i := start; i < len(data); i++ {
		switch data[i] {
		case '[', '<':
			depth++
		case ']', '>':
			depth--
		}
		if depth == 0 {
			return string(data[start : i+1]), i + 1
		}
	}
	return string(data[start:]), len(data)
}

// shown gives the codes of two bytes in the operand of Tj or TJ.
func shown(operand string) (codes []int) {
	digits := ""
	inside := false
	for _, c := range operand {
		switch {
		case c == '<':
			inside = true
		case c == '>':
			inside = false
		case inside:
			if digits += string(c); len(digits) == 4 {
				var code int
				fmt.Sscanf(digits, "%x", &code)
				codes, digits = append(codes, code), ""
			}
		}
	}
	return codes
}
