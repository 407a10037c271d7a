package invoice

// readKey takes one byte of a member name that is escaped or cut by the end of a part.
func (s *Scanner) readKey(p []byte, i int) int {
	c := p[i]
	switch s.state {
	case inKeyEscape:
		s.escape(c)
	case inKey:
		switch c {
		case '"':
			s.endKey(s.key[:min(s.keyLen, len(s.key))])
		case '\\':
			s.state = inKeyEscape
		default:
			s.addKey(rune(c))
		}
	default:
		s.hex = s.hex<<4 | hexValue(c)
		if s.state++; s.state > inKeyHex4 {
			s.state = inKey
			s.addKey(s.hex)
		}
	}
	return i + 1
}

// escape takes the byte after a backslash. None of our names has a character that needs the short escapes.
func (s *Scanner) escape(c byte) {
	s.state = inKey
	if c == 'u' {
		s.state, s.hex = inKeyHex1, 0
		return
	}
	s.addKey(rune(c) | 0x80)
}

// addKey appends one character; a name with a character outside ASCII or of more than eight is none of ours.
func (s *Scanner) addKey(r rune) {
	if s.keyLen < len(s.key) && r < 0x80 {
		s.key[s.keyLen] = byte(r)
		s.keyLen++
		return
	}
	s.keyLen = len(s.key) + 1
}

// endKey takes a whole name, unescaped.
func (s *Scanner) endKey(name []byte) {
	s.state, s.member = idle, otherMember
	switch {
	case s.keyLen > len(s.key):
	case string(name) == "items":
		s.member = itemsMember
	case string(name) == "subItems":
		s.member = subItemsMember
	case string(name) == "invoice":
		s.member = invoiceMember
	}
	s.keyLen = 0
}

// hexValue gives the value of a hexadecimal digit; anything else gives one that no ASCII character has.
func hexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 1 << 16
}
