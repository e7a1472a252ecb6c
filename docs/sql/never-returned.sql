-- What were threads in the middle of when the recording ended?
-- tracewright table hangs runs/ -o hangs.parquet
select trace, track, kind, what, iterations, state
from 'hangs.parquet' where error is null
order by trace, track, level desc;
