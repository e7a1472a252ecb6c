-- Which were the longest waits, and when did they begin?
-- tracewright table states traces/ -o states.parquet
select trace, split_part(attribute, '/', 3) as instance, value as state,
  epoch_ns("to") - epoch_ns("from") as ns, epoch_ns("from") as since
from 'states.parquet'
where attribute like 'scenarios/process_fsm/%/state' and value like 'wait%'
order by ns desc, since limit 10;
