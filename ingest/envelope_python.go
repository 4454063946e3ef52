package ingest

import "bytes"

// pythonNames are members of the events that functions print; those of records of AWS alone, since their
// services call functions with objects that print(event) shows as Python's, not as JSON.
var pythonNames = [][]byte{[]byte("'eventSource'"), []byte("'dynamodb'")}

// A Python program prints a dict with its own quotes and words:
//
//	{'Records': [{'eventName': 'INSERT', 'userIdentity': None, …}]}
func openPython(line []byte) (opened, bool) {
	i := SkipSpace(line, 0)
	if i < len(line) && line[i] == '[' {
		i = SkipSpace(line, i+1)
	}
	ok := i+1 < len(line) && line[i] == '{' && line[i+1] == '\''
	return opened{text: line, form: python}, ok
}

// appendPython appends text as JSON: strings in double quotes, true, false and null.
// https://docs.python.org/3/reference/lexical_analysis.html#string-and-bytes-literals
func appendPython(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			dst, i = appendPythonString(dst, text, i)
		case c-'A' < 26:
			n := i
			for n < len(text) && text[n]|0x20-'a' < 26 {
				n++
			}
			dst = append(dst, pythonWord(text[i:n])...)
			i = n
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

func pythonWord(word []byte) []byte {
	switch string(word) {
	case "None":
		return []byte("null")
	case "True", "False":
		return bytes.ToLower(word)
	}
	return word
}

// appendPythonString appends the string that begins at text[i], and gives the offset behind it.
func appendPythonString(dst, text []byte, i int) ([]byte, int) {
	quote := text[i]
	dst = append(dst, '"')
	for i++; i < len(text) && text[i] != quote; i++ {
		switch c := text[i]; {
		case c == '"':
			dst = append(dst, '\\', '"')
		case c != '\\' || i+1 == len(text):
			dst = append(dst, c)
		case text[i+1] == '\'':
			i++
			dst = append(dst, '\'')
		case text[i+1] == 'x':
			i++
			dst = append(dst, '\\', 'u', '0', '0')
		default: // JSON has the others that repr prints
			i++
			dst = append(dst, '\\', text[i])
		}
	}
	return append(dst, '"'), i + 1
}
