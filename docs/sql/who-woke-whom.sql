-- Who woke whom, how often?
-- tracewright table events traces/ --name 'sched_wak*' -o wakeups.parquet
select procname as waker, comm as woken, count(*) as times
from 'wakeups.parquet' where error is null
group by all order by times desc, waker, woken;
