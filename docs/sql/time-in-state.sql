-- How long was each thread in each state?
-- tracewright table states traces/ -o states.parquet
select trace, split_part(attribute, '/', 3) as instance, value as state,
  sum(epoch_ns("to") - epoch_ns("from")) as ns, count(*) as times
from 'states.parquet'
where attribute like 'scenarios/process_fsm/%/state'
group by all order by ns desc, instance, state;
