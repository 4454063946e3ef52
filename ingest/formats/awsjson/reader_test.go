package awsjson

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembersAndElementsComeInOrder(t *testing.T) {
	r := Read([]byte(` { "a" : 1 , "b\"c":[ {} , [] , "x" ],"d":{"e":null} } tail`), 0)
	var got []string
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		if r.Peek() != '[' {
			_, text := r.Value()
			got = append(got, string(name)+"="+string(text))
			continue
		}
		for r.Open('['); r.Element(); {
			_, text := r.Value()
			got = append(got, string(name)+":"+string(text))
		}
	}
	want := []string{"a=1", `b\"c:{}`, `b\"c:[]`, `b\"c:x`, `d={"e":null}`}
	if diff := cmp.Diff(got, want); diff != "" || r.Broken() {
		t.Errorf("broken: %v (-got +want):\n%s", r.Broken(), diff)
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<20), strings.Repeat(`{"Table":`, 1<<20)} {
		if got := Classify([]byte(text)); got != Other {
			t.Errorf("%.10q: got kind %d, want none", text, got)
		}
		r := Read([]byte(text), 0)
		for r.Open(text[0]) {
			if text[0] == '[' {
				r.Element()
			} else {
				r.Member()
			}
		}
		if !r.Broken() || r.At() > 2000 {
			t.Errorf("%.10q: stopped at %d, broken: %v; want broken soon", text, r.At(), r.Broken())
		}
	}
}

func TestFindGivesAMemberAndPassesTheObject(t *testing.T) {
	r := Read([]byte(`{"a":{"x":"no"},"x":"yes"} 5`), 0)
	if got := string(r.Find("x")); got != "yes" {
		t.Errorf("got %q, want the member of the outer object", got)
	}
	if got := r.Peek(); got != '5' {
		t.Errorf("got %q next, want what follows the object", got)
	}
}
