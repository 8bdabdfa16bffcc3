package parquetfile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/half"
)

// AppendJSON appends a value of the column, which must be a leaf, as JSON. Texts are strings; bytes that are not UTF-8
// are strings in base 64. Dates have the form 2006-01-02, and UUIDs their usual form. Timestamps are milliseconds since
// 1970, times of the day milliseconds since midnight. Decimals are numbers with all their digits. Floats that are not
// finite are null, because JSON cannot represent them. The error wraps ErrForm for intervals, because their length
// varies.
func (c *Column) AppendJSON(dst []byte, v *LeafValue) ([]byte, error) {
	switch {
	case v.Null:
		return append(dst, "null"...), nil
	case c.Kind == Boolean:
		return strconv.AppendBool(dst, v.Number != 0), nil
	case c.Kind == Float:
		return appendFloat(dst, float64(math.Float32frombits(uint32(v.Number)))), nil
	case c.Kind == Double:
		return appendFloat(dst, math.Float64frombits(v.Number)), nil
	case c.Kind == Int96:
		return appendFloat(dst, int96Millis(v.Bytes)), nil
	case c.Kind == Int32 || c.Kind == Int64:
		return c.appendInteger(dst, v), nil
	}
	return c.appendBytes(dst, v)
}

func (c *Column) appendInteger(dst []byte, v *LeafValue) []byte {
	n := int64(v.Number)
	switch {
	case c.Meaning == Unsigned && c.Kind == Int32:
		return strconv.AppendUint(dst, uint64(uint32(n)), 10)
	case c.Meaning == Unsigned:
		return strconv.AppendUint(dst, v.Number, 10)
	case c.Meaning == Decimal:
		return appendDecimal(dst, big.NewInt(n), c.Scale)
	case c.Meaning == Date:
		return time.Unix(n*24*60*60, 0).UTC().AppendFormat(dst, `"2006-01-02"`)
	case (c.Meaning == Timestamp || c.Meaning == TimeOfDay) && c.TickToMS > 1:
		return appendFloat(dst, float64(n)/float64(c.TickToMS))
	}
	return strconv.AppendInt(dst, n, 10)
}

func (c *Column) appendBytes(dst []byte, v *LeafValue) ([]byte, error) {
	switch {
	case c.Meaning == Decimal && len(v.Bytes) > maxDecimal:
		return nil, damagedErrorf("a decimal of %d bytes", len(v.Bytes))
	case c.Meaning == Decimal:
		return appendDecimal(dst, signedInteger(v.Bytes), c.Scale), nil
	case c.Meaning == Half && len(v.Bytes) == 2:
		var one [1]float32
		half.Float16.Decode(one[:], v.Bytes)
		return appendFloat(dst, float64(one[0])), nil
	case c.Meaning == UUID && len(v.Bytes) == 16:
		text := hex.EncodeToString(v.Bytes)
		return fmt.Appendf(dst, `"%s-%s-%s-%s-%s"`, text[:8], text[8:12], text[12:16], text[16:20], text[20:]), nil
	case c.Meaning == Interval:
		return nil, fmt.Errorf("%w: column %s is of type %s", ErrForm, c.Name, c.TypeName())
	case !utf8.Valid(v.Bytes):
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes), '"'), nil
	}
	text, err := json.Marshal(string(v.Bytes))
	return append(dst, text...), err
}

// signedInteger returns the integer in b, in two's complement with the highest byte first.
func signedInteger(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// appendDecimal appends n times 10 to the power of minus scale.
func appendDecimal(dst []byte, n *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	if scale == 0 {
		return append(dst, digits...)
	}
	if short := scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	whole := len(digits) - scale
	return append(append(append(dst, digits[:whole]...), '.'), digits[whole:]...)
}

// int96Millis converts a timestamp of the deprecated form (nanoseconds of the day, Julian day) to milliseconds since
// 1970.
func int96Millis(b []byte) float64 {
	const day1970 = 2440588
	nanoseconds := int64(binary.LittleEndian.Uint64(b))
	days := int64(binary.LittleEndian.Uint32(b[8:])) - day1970
	return float64(days)*24*60*60*1e3 + float64(nanoseconds)/1e6
}

// appendFloat appends a number, or null if it is not finite.
func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
