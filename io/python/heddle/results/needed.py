"""The columns without which a table is damaged: those that are read by their names."""

NEEDED = {
    group: columns.split()
    for group, columns in {
        "/message": "id job src dst bytes posted_ps start_ps finish_ps ideal_ps ecn_marks retransmitted_packets",
        "/collective": "id job kind bytes ranks start_ps finish_ps algbw_GBps busbw_GBps ranks_finished",
        "/iteration": "iteration job begin_ps end_ps time_ps",
        "/summary/message": "percent completion_ps completion_at_least times_the_ideal ideal_at_least posted finished",
        "/summary/message_kind": "job fabric class messages received_bytes goodput_bits_per_s percent completion_ps "
        "completion_at_least times_the_ideal ideal_at_least posted finished",
        "/request": "generator client servers bytes begin_ps end_ps",
        "/summary/request": "generator requests begun ended received_bytes bits_per_s requests_per_s percent time_ps time_at_least",
        "/plan": "measured_ps from_ps",
        "/training_checkpoint": "job checkpoint gpus messages bytes begin_ps end_ps",
        "/summary/iteration": "job iterations ended time_ps compute_ps exposed_data_ps",
        "/summary/collective": "job group kind ranks bytes driven number finished time_ps busbw_GBps transfer_ps transfer_busbw_GBps",
        "/link": "link packets sent_bytes paused_ps pauses ecn_marks egress_drops ingress_drops peak_queue_bytes",
        "/topology/node": "node kind tier name first_link",
        "/topology/link": "link src dst src_port bits_per_s reverse",
        "/job/rank": "job rank node name",
        "/job/communicator": "communicator job group rank node",
        "/parameter": "key element text number unit",
        "/event/pfc": "time_ps node port class kind",
        "/event/drop": "time_ps node port cause",
        "/event/failure": "time_ps node port bits_per_s",
        "/event/completion": "time_ps kind id node rank",
    }.items()
}
