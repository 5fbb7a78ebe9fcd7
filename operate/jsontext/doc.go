// Package jsontext reads JSON as text with places, and changes it in place: what
// is put in or taken out is a span of bytes, and every other byte stays as it was.
//
// encoding/json cannot do that. It gives values back without order, line ends,
// indentation and the spelling of a number, and takes the last of two equal keys
// without a word.
//
//	parse.go    the tree of values, each with its span; what is malformed, with line and column
//	change.go   spans taken out, members put in as their neighbours are written
package jsontext
