package draw

// Color contains red, green and blue, 0 to 255 each. Sums and products may leave that range until they are clamped.
type Color struct{ R, G, B int }

// HueCircle is the number of hues. Red is 0, green a third and blue two thirds of it.
const HueCircle = 6 * 256

// HSV returns the colour of a hue (modulo [HueCircle]), a saturation and a value of 0 to 255.
func HSV(hue, saturation, value int) Color {
	hue = ((hue % HueCircle) + HueCircle) % HueCircle
	low := value * (255 - saturation) / 255
	rise := low + (value-low)*(hue&255)/255
	fall := low + (value-low)*(255-hue&255)/255
	return [...]Color{
		{value, rise, low}, {fall, value, low}, {low, value, rise},
		{low, fall, value}, {rise, low, value}, {value, low, fall},
	}[hue>>8]
}

// RandomColor returns a random colour for backgrounds, usually a dull one.
func RandomColor(r *Random) Color {
	return HSV(r.IntBelow(HueCircle), r.IntBelow(r.IntBetween(1, 256)), r.IntBetween(40, 240))
}

// Mix returns the mixture of (256-t)/256 of c and t/256 of d.
func (c Color) Mix(d Color, t int) Color {
	return Color{c.R + (d.R-c.R)*t>>8, c.G + (d.G-c.G)*t>>8, c.B + (d.B-c.B)*t>>8}
}

// Scale returns the colour times t/256.
func (c Color) Scale(t int) Color { return Color{c.R * t >> 8, c.G * t >> 8, c.B * t >> 8} }

func clamp(v int) uint8 { return uint8(min(max(v, 0), 255)) }
