"""Direction numbers and unscrambled points as SciPy has them.

Run: python sobol.fixture.py numbers > direction-numbers.json
     python sobol.fixture.py points > sobol.fixture.json
"""

import json
import os
import sys

import numpy as np
import scipy
from scipy.stats import _qmc, qmc

DIMENSIONS = 64

if sys.argv[1] == "numbers":
    table = np.load(os.path.join(os.path.dirname(_qmc.__file__), "_sobol_direction_numbers.npz"))
    rows = []
    for d in range(1, DIMENSIONS):
        polynomial = int(table["poly"][d])
        degree = polynomial.bit_length() - 1
        rows.append([polynomial] + [int(m) for m in table["vinit"][d][:degree]])
    print("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]")
else:
    points = qmc.Sobol(DIMENSIONS, scramble=False, bits=32).random(64)
    far = qmc.Sobol(DIMENSIONS, scramble=False, bits=32).fast_forward(12345).random(1)
    whole = lambda rows: [[int(round(u * 2**32)) for u in row] for row in rows]
    json.dump({"scipy": scipy.__version__, "points": whole(points), "at12345": whole(far)[0]},
              sys.stdout, separators=(",", ":"))
