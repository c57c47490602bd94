"""Answers requests of onnx.bench.ts, one JSON a line: {model, rows} -> {labels, values, seconds}."""

import json
import sys
import time

import numpy as np
import onnx
import onnxruntime as ort

ort.set_default_logger_severity(3)
print(json.dumps({"onnxruntime": ort.__version__}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        onnx.checker.check_model(asked["model"], full_check=True)
        session = ort.InferenceSession(asked["model"])
        with open(asked["rows"]) as file:
            columns = json.load(file)
        cells = {}
        for entry in session.get_inputs():
            column = columns[entry.name]
            if entry.type == "tensor(string)":
                cells[entry.name] = np.array(column, dtype=object).reshape(-1, 1)
            else:
                numbers = [float(cell) for cell in column]
                cells[entry.name] = np.array(numbers).reshape(-1, 1)
        start = time.perf_counter()
        out = session.run(None, cells)
        seconds = time.perf_counter() - start
        named = dict(zip([entry.name for entry in session.get_outputs()], out))
        labels = named["label"].tolist() if len(out) == 2 else None
        print(json.dumps({"labels": labels, "values": out[-1].tolist(), "seconds": seconds}), flush=True)
    except Exception as fault:  # said to who asks
        print(json.dumps({"error": str(fault)}), flush=True)
