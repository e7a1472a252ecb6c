-- Of what was lost, which share is inferred, and which share is certain?
-- tracewright table gaps traces/ -o gaps.parquet; tracewright table inferred traces/ -o inferred.parquet
select lost.trace, lost.events as lost, coalesce(found.events, 0) as inferred,
  coalesce(found.certain, 0) as certain, coalesce(found.events, 0) / lost.events as share
from (select trace, sum(events) as events from 'gaps.parquet' where error is null group by trace) as lost
left join (
  select trace, count(*) as events, count(*) filter (evidence = 'only way') as certain
  from 'inferred.parquet' where error is null group by trace
) as found on found.trace = lost.trace
order by lost.trace;
