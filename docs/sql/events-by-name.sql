-- What happens most often?
-- tracewright table events traces/ -o events.parquet
select name, count(*) as events, count(distinct cpu) as cpus
from 'events.parquet' where error is null
group by name order by events desc, name;
