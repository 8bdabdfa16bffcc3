package waymo

// What a frame has.
const (
	Cameras     = 5
	PointValues = 5 // of a point: x, y, z in metres, intensity, elongation
)

// Matrix is a 4 x 4 matrix, row by row.
type Matrix = [16]float32

// CameraCalibration projects points (x, y, z, 1) of the lidar onto pictures: P[k] * R0 * Tr[k] * point is a homogeneous
// pixel of camera k.
type CameraCalibration struct {
	R0 Matrix          // R0_rect
	P  [Cameras]Matrix // P0 to P4
	Tr [Cameras]Matrix // Tr_velo_to_cam_0 to Tr_velo_to_cam_4
}

// PictureShape is the size of a picture in pixels.
type PictureShape struct{ Height, Width int }

// FrameObject is an annotated object of a frame, in the coordinates of camera 0.
type FrameObject struct {
	Name       string     // "Pedestrian", "Cyclist", "Car", "Sign", "DontCare" ...
	Location   [3]float32 // x to the right, y down, z ahead: the middle of its ground, in metres
	Dimensions [3]float32 // length, height, width in metres
	RotationY  float32    // about the axis that points down, in radians
	Box        [4]float32 // in the picture: left, top, right, bottom in pixels
	Difficulty int        // 0 counts in the score
}

// Frame is a sample's entry in the index.
type Frame struct {
	Image       int // image_idx: the number by which pictures and answers name it, 0 to MostImage
	Points      string
	Shapes      [Cameras]PictureShape // of the pictures, as the index has them
	Calibration CameraCalibration
	Objects     []FrameObject
}

// MostImage bounds image_idx: answers have it as a float32.
const MostImage = 1<<24 - 1

// FrameSource is a set of frames, read from files or generated. Its methods may be called concurrently.
type FrameSource interface {
	Len() int
	// Frame is what is known of frame i. It must not be changed.
	Frame(i int) *Frame
	// ReadPoints returns the points of frame i, PointValues float32 each, in the frame of the lidar: x ahead, y to the
	// left, z up. The caller owns them.
	ReadPoints(i int) ([]float32, error)
	// ReadPicture returns the bytes of the JPEG or PNG file of a camera's picture of frame i, which the caller owns.
	ReadPicture(i, camera int) ([]byte, error)
}
