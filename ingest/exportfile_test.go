package ingest

import "testing"

func TestACopyOfADataFileIsFoundByTheEndOfItsKey(t *testing.T) {
	files := ExportFiles{}
	for _, key := range []string{
		"p/AWSDynamoDB/01693685827463-2d8752fd/data/abcdef.json.gz",
		"p/AWSDynamoDB/01693685827463-2d8752fd/data/ghijkl.json.gz",
		"p/AWSDynamoDB/01793600000000-a1b2c3d4/data/ghijkl.json.gz",
	} {
		files.Add(ExportFile{Key: key})
	}
	for _, tt := range []struct{ name, copied, want string }{
		{"a copy of the whole bucket", "/home/x/p/AWSDynamoDB/01693685827463-2d8752fd/data/abcdef.json.gz", "p/AWSDynamoDB/01693685827463-2d8752fd/data/abcdef.json.gz"},
		{"a copy of the file alone", "abcdef.json.gz", "p/AWSDynamoDB/01693685827463-2d8752fd/data/abcdef.json.gz"},
		{"a file that was decompressed", "data/abcdef.json", "p/AWSDynamoDB/01693685827463-2d8752fd/data/abcdef.json"},
		{"a name of two exports, told apart by the folder", "x/01793600000000-a1b2c3d4/data/ghijkl.json.gz", "p/AWSDynamoDB/01793600000000-a1b2c3d4/data/ghijkl.json.gz"},
		{"a name of two exports, not told apart", "data/ghijkl.json.gz", ""},
		{"another file", "data/mnopqr.json.gz", ""},
	} {
		x, ok := files.Of(tt.copied)
		if want := tt.want != ""; ok != want || ok && exportBase(x.Key) != exportBase(tt.want) {
			t.Errorf("%s: got %q, %t; want %q", tt.name, x.Key, ok, tt.want)
		}
	}
}
