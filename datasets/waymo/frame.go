package waymo

// Number of cameras of a frame, and number of values of a point.
const (
	Cameras     = 5
	PointValues = 5 // x, y, z in metres, intensity, elongation
)

// Matrix is a 4 x 4 matrix in row-major order.
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

// FrameObject is an annotated object of a frame, in the coordinate system of camera 0.
type FrameObject struct {
	Name       string     // "Pedestrian", "Cyclist", "Car", "Sign", "DontCare" ...
	Location   [3]float32 // x to the right, y down, z ahead: centre of the object's bottom, in metres
	Dimensions [3]float32 // length, height, width in metres
	RotationY  float32    // rotation about the downward axis, in radians
	Box        [4]float32 // left, top, right and bottom in the picture, in pixels
	Difficulty int        // only objects with 0 count in the score
}

// Frame is the index entry of a sample.
type Frame struct {
	Image       int // image_idx: number in the names of pictures and in answers, 0 to MaxImage
	PointsFile  string
	Shapes      [Cameras]PictureShape // sizes of the pictures in the index
	Calibration CameraCalibration
	Objects     []FrameObject
}

// MaxImage is the largest image_idx, because answers store it as float32.
const MaxImage = 1<<24 - 1

// FrameSource is a set of frames, read from files or generated. Its methods may be called concurrently.
type FrameSource interface {
	Len() int
	// Frame returns the metadata of frame i. The caller must not change it.
	Frame(i int) *Frame
	// ReadPoints returns the points of frame i, PointValues float32 values each, in the lidar's coordinate system: x
	// ahead, y to the left, z up. The caller owns them.
	ReadPoints(i int) ([]float32, error)
	// ReadPicture returns the JPEG or PNG file of a camera's picture of frame i. The caller owns it.
	ReadPicture(i, camera int) ([]byte, error)
}
