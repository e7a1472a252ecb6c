-- How many events were lost on each CPU, and in how many places?
-- tracewright table gaps traces/ -o gaps.parquet
select trace, cpu, count(*) as gaps, sum(events) as events, count(*) - count(events) as uncounted
from 'gaps.parquet' where error is null
group by all order by events desc, cpu;
