"""Static INT8 of a model, in ONNX Runtime's form."""

from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static


class Feeds(CalibrationDataReader):
    """A calibration by inputs {name: array}, one run after the other."""

    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def static(fp32, path, feeds, kinds, only=None, but=None):
    """Quantises the nodes of some kinds statically: UInt8 activations with the ranges (minimum and maximum) that the
    feeds have, Int8 weights per channel. Ranges that are known beforehand keep an answer the same whatever it is
    batched with.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow, and
    the answers would depend on the processor. only and but are names of nodes.
    """
    quantize_static(
        fp32,
        path,
        Feeds(feeds),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=list(kinds),
        nodes_to_quantize=only,
        nodes_to_exclude=but,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
