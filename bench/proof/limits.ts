import { freePort } from '../../packages/server/src/testing/postgres.ts'
import { startServer } from '../processes.ts'
import { query } from '../shop.ts'

export interface LimitServers {
  ports: { http: number; fastify: number }
  pids: { http: number; fastify: number }
  stop(): Promise<void>
}

/** Starts the baseline servers, which show the best possible figures, with their own tables in a separate schema. */
export async function startLimits(databaseUrl: string): Promise<LimitServers> {
  const ports = { http: await freePort(), fastify: await freePort() }
  await query({ database_url: databaseUrl }, tables)
  const http = await startServer('./servers/bare-http.ts', { PORT: String(ports.http) })
  const fastify = await startServer('./servers/fastify.ts', {
    PORT: String(ports.fastify),
    DATABASE_URL: databaseUrl,
    PGOPTIONS: '-c search_path=by_hand',
  })
  return {
    ports,
    pids: { http: http.pid, fastify: fastify.pid },
    async stop() {
      await http.stop()
      await fastify.stop()
    },
  }
}

const tables = `
create schema by_hand;
set search_path = by_hand;
create table codes (code text primary key, quantity bigint not null, redeemed bigint not null default 0, discount jsonb not null);
create table customers (id text primary key, orders bigint not null default 0, amount bigint not null default 0, redemptions bigint not null default 0);
create table orders (id text primary key, customer_id text not null, amount bigint not null, discount bigint not null, items jsonb not null, created_at timestamptz not null);
create table redemptions (id text primary key, code text not null, order_id text not null, customer_id text not null, amount bigint not null, created_at timestamptz not null);
create index on redemptions (code);
create index on redemptions (customer_id);
create table events (id text primary key, type text not null, entity_id text not null, data jsonb not null, created_at timestamptz not null);
insert into codes select 'CODE-' || n, 1, 0, '{"type": "PERCENT", "effect": "APPLY_TO_ORDER", "percent_off": 10}' from generate_series(1, 400000) n;
insert into codes values ('HOT', 1000000000, 0, '{"type": "PERCENT", "effect": "APPLY_TO_ORDER", "percent_off": 10}');
insert into customers (id) select 'customer-' || n from generate_series(0, 999) n;
analyze codes, customers;`
