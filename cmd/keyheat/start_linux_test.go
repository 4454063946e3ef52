package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCodeOfFilesIsFoundInMaps(t *testing.T) {
	const maps = `00400000-0184a000 r-xp 00000000 fe:00 8399 /usr/bin/key heat
0184a000-02cda000 r--p 0144a000 fe:00 8399 /usr/bin/key heat
02cda000-02e3b000 rw-p 028da000 fe:00 8399 /usr/bin/key heat
2a5acd400000-2a5acec00000 rw-p 00000000 00:00 0
7fd78a815000-7fd78a96b000 r-xp 00028000 fe:00 1201 /usr/lib/x86_64-linux-gnu/libc.so.6
7fd78a96c000-7fd78a96d000 r-xp 00000000 00:00 0
7ffe29b3b000-7ffe29b3d000 r-xp 00000000 00:00 0                          [vdso]
`
	want := []addressRange{{0x400000, 0x184a000}, {0x7fd78a815000, 0x7fd78a96b000}}
	if diff := cmp.Diff(codeIn(maps), want, cmp.AllowUnexported(addressRange{})); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestCodeThatOnlyTheStartTookIsGivenBack(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	if len(codeIn(string(maps))) == 0 {
		t.Fatal("no code in /proc/self/maps")
	}
	before := residentCode(t)
	forgetStart()
	if after := residentCode(t); after >= before {
		t.Errorf("%d KiB of code are in memory, %d before", after, before)
	}
}

// residentCode gives how much code of files is in this process's memory, in KiB.
func residentCode(t *testing.T) (kib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	code := false
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if !strings.HasSuffix(f[0], ":") {
			code = len(f) >= 6 && f[1] == "r-xp" && strings.HasPrefix(f[5], "/")
		}
		if code && f[0] == "Rss:" {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			kib += n
		}
	}
	return kib
}
