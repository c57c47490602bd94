"""AutoGluon's forecasts of a table of series within a number of seconds, in a process of its own.

    python autogluon_series.py HISTORIES SECONDS THREADS FREQUENCY SEASON HORIZON

HISTORIES is CSV: unique_id, ds, y, and columns of one value a series. Stamps that are whole numbers are years, or
hours. Writes {"version", "seconds", "forecasts": {id: [...]}} to stdout; seconds are of wall time, imports left out.
The preset is `high_quality` without its pretrained networks, whose weights a hub has, and forecasts are medians, which
the metric, MASE, asks for.
"""

import json
import os
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")

PERIODS = {"yearly": "YS", "quarterly": "QS", "monthly": "MS", "daily": "D", "hourly": "h"}
PRETRAINED = ["Chronos", "Chronos2", "Toto"]


def stamps_of(column, frequency):
    import pandas as pd

    if not pd.api.types.is_integer_dtype(column):
        return pd.to_datetime(column)
    if frequency == "yearly":
        return pd.PeriodIndex([pd.Period(year=year, freq="Y") for year in column]).to_timestamp()
    return pd.Timestamp("2000-01-01") + pd.to_timedelta(column, "h")


def main():
    path, seconds, threads, frequency, season, horizon = sys.argv[1:]
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = threads
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import autogluon.timeseries
    import pandas as pd
    import torch
    from autogluon.timeseries import TimeSeriesDataFrame, TimeSeriesPredictor

    torch.set_num_threads(int(threads))
    table = pd.read_csv(path, dtype={"unique_id": str})
    table["ds"] = stamps_of(table["ds"], frequency)
    static = [name for name in table.columns if name not in ("unique_id", "ds", "y")]
    data = TimeSeriesDataFrame.from_data_frame(
        table[["unique_id", "ds", "y"]],
        id_column="unique_id",
        timestamp_column="ds",
        static_features_df=table.groupby("unique_id", sort=False)[static].first().reset_index() if static else None,
    ).convert_frequency(PERIODS[frequency])
    with tempfile.TemporaryDirectory() as folder:
        predictor = TimeSeriesPredictor(
            prediction_length=int(horizon),
            path=folder,
            freq=PERIODS[frequency],
            target="y",
            eval_metric="MASE",
            eval_metric_seasonal_period=int(season),
            verbosity=0,
        )
        started = time.perf_counter()
        predictor.fit(
            data,
            presets="high_quality",
            time_limit=float(seconds),
            excluded_model_types=PRETRAINED,
            random_seed=0,
        )
        taken = time.perf_counter() - started
        said = predictor.predict(data)["0.5"]
    forecasts = {key: said.loc[key].tolist() for key in data.item_ids}
    json.dump({"version": autogluon.timeseries.__version__, "seconds": taken, "forecasts": forecasts}, answers)
    answers.flush()


main()
