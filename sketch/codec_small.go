package sketch

import "encoding/binary"

// The forms of a Distinct.
const (
	formFew    = iota // hashes, as distances
	formPacked        // all registers, 6 bits each
	formList          // registers in use: distance and rank
)

// AppendBinary appends the canonical form of d to dst: precision, form, content. Of the two dense forms the
// list is taken where it is surely the shorter.
func (d *Distinct) AppendBinary(dst []byte) []byte {
	if d.registers == nil {
		dst = append(dst, d.p, formFew, byte(len(d.few)))
		last := uint64(0)
		for _, h := range d.few {
			dst = binary.AppendUvarint(dst, h-last)
			last = h
		}
		return dst
	}
	used := 0
	for _, rank := range d.registers {
		if rank > 0 {
			used++
		}
	}
	if listIsShorter(used, len(d.registers)) {
		return d.appendList(append(dst, d.p, formList), used)
	}
	dst = append(dst, d.p, formPacked)
	for i := 0; i < len(d.registers); i += 4 {
		r := d.registers[i : i+4 : i+4]
		dst = append(dst, r[0]|r[1]<<6, r[1]>>2|r[2]<<4, r[2]>>4|r[3]<<2)
	}
	return dst
}

func listIsShorter(used, registers int) bool { return used*4 < registers/4*3 }

func (d *Distinct) appendList(dst []byte, used int) []byte {
	dst = binary.AppendUvarint(dst, uint64(used))
	next := 0
	for i, rank := range d.registers {
		if rank > 0 {
			dst = append(binary.AppendUvarint(dst, uint64(i-next)), rank)
			next = i + 1
		}
	}
	return dst
}

// ReadDistinct reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadDistinct(b []byte) (*Distinct, []byte, error) {
	d := &decoder{b: b}
	p := d.byte()
	d.check(p >= minPrecision && p <= maxPrecision, "bad precision")
	x := NewDistinct(p)
	switch form := d.byte(); form {
	case formFew:
		x.readFew(d)
	case formPacked:
		x.readPacked(d)
	case formList:
		x.readList(d)
	default:
		d.fail("form %d", form)
	}
	if d.err != nil {
		return nil, b, d.err
	}
	return x, d.b, nil
}

func (x *Distinct) readFew(d *decoder) {
	n := int(d.byte())
	d.check(n <= sparseDistinct, "too many hashes")
	last := uint64(0)
	for i := range n {
		gap := d.uvarint()
		d.check((gap > 0 || i == 0) && gap <= ^last, "hashes not in order")
		if d.err != nil {
			return
		}
		last += gap
		x.few = append(x.few, last)
	}
}

func (x *Distinct) readPacked(d *decoder) {
	packed := d.bytes((1 << x.p) / 4 * 3)
	if d.err != nil {
		return
	}
	x.registers = make([]uint8, 0, 1<<x.p)
	used := 0
	for i := 0; i < len(packed); i += 3 {
		a, b, c := packed[i], packed[i+1], packed[i+2]
		for _, rank := range [...]uint8{a & 63, a>>6 | b<<2&63, b>>4 | c<<4&63, c >> 2} {
			d.check(rank <= 65-x.p, "rank too high")
			if rank > 0 {
				used++
			}
			x.registers = append(x.registers, rank)
		}
	}
	d.check(!listIsShorter(used, len(x.registers)), "not the shortest form")
}

func (x *Distinct) readList(d *decoder) {
	used := d.count(2, "registers")
	d.check(used > 0 && listIsShorter(used, 1<<x.p), "not the shortest form")
	if d.err != nil {
		return
	}
	x.registers = make([]uint8, 1<<x.p)
	next := uint64(0)
	for range used {
		i := next + d.upTo(1<<maxPrecision, "register")
		rank := d.byte()
		d.check(i < uint64(len(x.registers)) && rank > 0 && rank <= 65-x.p, "bad register")
		if d.err != nil {
			return
		}
		x.registers[i] = rank
		next = i + 1
	}
}

// AppendBinary appends the canonical form of s to dst: cap, k, and hashes as distances with their totals.
func (s *Sample) AppendBinary(dst []byte) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(s.cap)), s.k)
	dst = binary.AppendUvarint(dst, uint64(s.n))
	last := uint64(0)
	for _, e := range s.sorted() {
		dst = binary.AppendUvarint(dst, e.hash-last)
		dst = binary.AppendUvarint(dst, e.requests)
		dst = binary.AppendUvarint(dst, e.bytes)
		last = e.hash
	}
	return dst
}

// ReadSample reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadSample(b []byte) (*Sample, []byte, error) {
	d := &decoder{b: b}
	limit := d.upTo(maxSample, "cap")
	d.check(limit > 0, "no cap")
	s := NewSample(int(limit))
	s.k = d.byte()
	d.check(s.k <= 64, "k over 64")
	n := d.count(3, "keys")
	d.check(n <= s.cap, "more keys than the cap")
	last := uint64(0)
	for range n {
		gap, requests, bytes := d.uvarint(), d.uvarint(), d.uvarint()
		d.check(gap > 0 && gap <= ^last && (last+gap)>>(64-s.k) == 0, "hashes not in order")
		if d.err != nil {
			break
		}
		last += gap
		s.Add(last, requests, bytes)
	}
	if d.err != nil {
		return nil, b, d.err
	}
	return s, d.b, nil
}

// AppendBinary appends the canonical form of h to dst: buckets in use as distance and count, then
// smallest and largest value and sum.
func (h *Histogram) AppendBinary(dst []byte) []byte {
	used, next := 0, 0
	h.each(func(int, uint64) bool { used++; return true })
	dst = binary.AppendUvarint(dst, uint64(used))
	h.each(func(bucket int, n uint64) bool {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(bucket-next)), n)
		next = bucket + 1
		return true
	})
	if used == 0 {
		return dst
	}
	for _, v := range [...]uint64{h.lowest, h.most, h.sum} {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

// ReadHistogram reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadHistogram(b []byte) (*Histogram, []byte, error) {
	d := &decoder{b: b}
	h := &Histogram{}
	used := d.count(2, "buckets")
	first, bucket := 0, -1
	var least, most uint64 // bounds of the sum
	for i := range used {
		bucket += 1 + int(d.upTo(buckets, "bucket"))
		n := d.uvarint()
		d.check(bucket < buckets && n > 0, "bad bucket")
		if d.err != nil {
			return nil, b, d.err
		}
		if i == 0 {
			first = bucket
		}
		h.addBucket(bucket, n)
		low, high := bucketEdges(bucket)
		least, most = addSat(least, mulSat(low, n)), addSat(most, mulSat(high, n))
		h.count = addSat(h.count, n)
	}
	if used > 0 {
		h.lowest, h.most, h.sum = d.uvarint(), d.uvarint(), d.uvarint()
		d.check(bucketOf(h.lowest) == first && bucketOf(h.most) == bucket && h.lowest <= h.most, "extremes outside their buckets")
		d.check(least <= h.sum && h.sum <= most, "sum does not fit the buckets")
	}
	if d.err != nil {
		return nil, b, d.err
	}
	return h, d.b, nil
}
